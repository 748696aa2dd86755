import { sql } from 'kysely';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { emitEvent } from '../../../src/actions/emit-event.ts';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import { createPost } from '../../../src/webhooks/post.ts';
import { sendWebhooks } from '../../../src/webhooks/sender.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { expectProblem } from '../../support/http.ts';
import {
  type Received,
  startReceiver,
  type WebhookReceiver,
} from '../../support/webhook-receiver.ts';

let service: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  service = await startTestApp({ webhookTargets: 'any' });
  receiver = await startReceiver(({ path }, response) => {
    if (path.startsWith('/silent')) return;
    const [, status = '204'] = /^\/(\d{3})/.exec(path) ?? [];
    const headers = {
      'content-type': 'text/plain',
      ...(status === '429' ? { 'retry-after': '50' } : {}),
    };
    response.writeHead(Number(status), headers).end(Number(status) >= 400 ? 'Out of order' : null);
  });
});

afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function partner() {
  const { partner: created, apiKey: token } = await service.partner();
  const { partnerId } = created;
  const call = (method: string, path: string, json?: unknown, headers = {}) =>
    service.call(method, `/v1/webhooks${path}`, { token, json, headers });
  return {
    partnerId,
    call,
    async webhook(path: string, more: object = {}) {
      const { body } = await call('POST', '', { url: receiver.url(path), ...more });
      return body as { webhook_id: number; secret: string };
    },
    emit: (data: object = {}) =>
      service.records.inTransaction((tx) => emitEvent(tx, partnerId, 'watch.paused', () => data)),
    async deliveries(webhookId: number) {
      return (await call('GET', `/${webhookId}/deliveries`)).body;
    },
  };
}

/** Sends while `work` runs. */
async function sending(work: () => Promise<void>, timeoutMs = 60_000): Promise<void> {
  const stop = new AbortController();
  const sender = sendWebhooks(
    {
      records: service.records,
      post: createPost({ targets: 'any', timeoutMs }),
      log: pino({ level: 'silent' }),
      version: '1',
      pollMs: 20,
    },
    stop.signal,
  );
  try {
    await work();
  } finally {
    stop.abort();
    await sender;
  }
}

const at = (path: string) => receiver.received.filter((one) => one.path === path);
const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 20 });

/** The clock of retries: everything that waits for a time has waited that much longer. */
async function pass(seconds: number): Promise<void> {
  const { db } = service.database;
  await sql`update webhook_delivery set due_at = due_at - ${seconds} * interval '1 second'`.execute(
    db,
  );
  await sql`update webhook set resume_at = resume_at - ${seconds} * interval '1 second',
    failing_since = failing_since - ${seconds} * interval '1 second'`.execute(db);
}

function verified({ headers, body }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

describe('the API', () => {
  it('creates, lists, changes and removes webhooks', async () => {
    const { call } = await partner();
    const url = 'https://acme.example/hook?token=hidden';
    const created = await call('POST', '', { url, events: ['import.failed'] });
    expect(created.status).toBe(201);
    const { secret, ...webhook } = created.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({
      url,
      description: '',
      events: ['import.failed'],
      disabled_at: null,
    });
    expect(created.headers.get('location')).toBe(`/v1/webhooks/${webhook.webhook_id}`);
    expect((await call('GET', '')).body).toEqual([webhook]);
    const one = `/${webhook.webhook_id}`;
    const changed = await call('PATCH', one, { events: null, disabled: true });
    expect(changed.body).toMatchObject({ events: null, url, disabled_by: 'partner' });
    expectProblem(await call('POST', `${one}/test`), 400, 'invalid_input');
    expect((await call('PATCH', one, { disabled: false })).body.disabled_at).toBeNull();
    expect((await call('DELETE', one)).status).toBe(204);
    expectProblem(await call('GET', one), 404, 'not_found');
    const { rows } = await sql<{ text: string }>`
      select concat(before, after) as text from audit_entry where action like '%/v1/webhooks%'
    `.execute(service.database.db);
    expect(rows).toHaveLength(4);
    const texts = rows.map(({ text }) => text).join();
    expect(texts).toContain('acme.example/hook');
    expect(texts).not.toMatch(/hidden|whsec_/);
  });

  it('repeats the secret for the same Idempotency-Key, without keeping it in clear', async () => {
    const { call } = await partner();
    const key = { 'idempotency-key': 'once' };
    const json = { url: 'https://acme.example/' };
    const first = await call('POST', '', json, key);
    const second = await call('POST', '', json, key);
    expect(second.body).toEqual(first.body);
    expect((await call('GET', '')).body).toHaveLength(1);
    const { rows } = await sql<{ text: string }>`
      select idempotency_key::text as text from idempotency_key
    `.execute(service.database.db);
    expect(rows.map(({ text }) => text).join()).not.toContain(first.body.secret.slice(6));
  });

  it("refuses other partners' webhooks, and invalid ones", async () => {
    const [acme, other] = [await partner(), await partner()];
    const { webhook_id } = await acme.webhook('/204');
    for (const path of ['', '/deliveries']) {
      expectProblem(await other.call('GET', `/${webhook_id}${path}`), 404, 'not_found');
    }
    for (const path of ['/test', '/secret']) {
      expectProblem(await other.call('POST', `/${webhook_id}${path}`), 404, 'not_found');
    }
    expectProblem(await other.call('DELETE', `/${webhook_id}`), 404, 'not_found');
    const bad = [{ url: 'ftp://a' }, { url: 'https://a.example', events: ['no.such'] }, {}];
    for (const json of bad) {
      expectProblem(await acme.call('POST', '', json), 400, 'invalid_input');
    }
  });
});

describe('an event', () => {
  it('is sent with a signature that another implementation verifies', async () => {
    const acme = await partner();
    const { webhook_id, secret } = await acme.webhook('/204/good');
    await acme.emit({ watch_id: 7 });
    await sending(() =>
      until(async () => {
        expect((await acme.deliveries(webhook_id))[0].state).toBe('delivered');
      }),
    );
    expect(at('/204/good')).toHaveLength(1);
    const [one] = at('/204/good');
    expect(verified(one!, secret)).toEqual({
      type: 'watch.paused',
      timestamp: expect.any(String),
      data: { watch_id: 7 },
    });
    expect(one!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Tributary/1',
    });
    const [delivery] = await acme.deliveries(webhook_id);
    expect(delivery).toMatchObject({
      event_id: one!.headers['webhook-id'],
      state: 'delivered',
      next_attempt_at: null,
      attempts: [{ status: 204, error: null, response: null }],
    });
  });

  it('is signed with both secrets after a rotation, until the old one ends', async () => {
    const acme = await partner();
    const { webhook_id, secret: old } = await acme.webhook('/204/rotated');
    const rotated = await acme.call('POST', `/${webhook_id}/secret`, { overlap_hours: 1 });
    expect(rotated.status).toBe(201);
    const { secret } = rotated.body;
    const test = () => acme.call('POST', `/${webhook_id}/test`);
    await sending(async () => {
      expect((await test()).status).toBe(202);
      await until(() => expect(at('/204/rotated')).toHaveLength(1));
      await sql`update webhook_secret set expires_at = now() where expires_at is not null`.execute(
        service.database.db,
      );
      await test();
      await until(() => expect(at('/204/rotated')).toHaveLength(2));
    });
    const [both, one] = at('/204/rotated');
    expect(verified(both!, old)).toMatchObject({ type: 'webhook.test', data: { webhook_id } });
    expect(verified(both!, secret)).toMatchObject({ type: 'webhook.test' });
    expect(verified(one!, secret)).toMatchObject({ type: 'webhook.test' });
    expect(() => verified(one!, old)).toThrow();
  });

  it('is sent after a crash between its commit and the attempt, or during the attempt', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/204/crash');
    await acme.emit();
    // A worker claims it and dies.
    const claim = {
      failing: false,
      most: 64,
      mostPerWebhook: 4,
      busy: [],
      mostPerPartner: 8,
      busyPartners: [],
      leaseSeconds: 60,
    };
    const claimed = await service.records.webhookDeliveries.claim(claim);
    expect(claimed.map(({ webhookId }) => webhookId)).toEqual([webhook_id]);
    expect(await service.records.webhookDeliveries.claim(claim)).toEqual([]);
    await pass(61);
    await sending(() => until(() => expect(at('/204/crash')).toHaveLength(1)));
    expect(at('/204/crash')[0]!.headers['webhook-id']).toBe(claimed[0]!.messageId);
  });

  it('is sent again by the schedule, with the same id and body, and then fails', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/500/always');
    await acme.emit();
    const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    await sending(async () => {
      for (const [i, seconds] of schedule.entries()) {
        await until(async () => {
          const [delivery] = await acme.deliveries(webhook_id);
          expect(delivery.attempts).toHaveLength(i + 1);
          const last = Date.parse(delivery.attempts.at(-1).attempted_at);
          const waits = (Date.parse(delivery.next_attempt_at) - last) / 1000;
          expect(waits).toBeGreaterThan(seconds - 1);
          expect(waits).toBeLessThan(seconds * 1.1 + 5);
        });
        await pass(seconds * 1.1);
      }
      await until(async () => {
        const [delivery] = await acme.deliveries(webhook_id);
        expect(delivery).toMatchObject({ state: 'failed', next_attempt_at: null });
      });
    });
    const sent = at('/500/always');
    expect(sent).toHaveLength(10);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    const [delivery] = await acme.deliveries(webhook_id);
    expect(delivery.attempts[0]).toMatchObject({ status: 500, response: 'Out of order' });
  });

  it('waits for Retry-After, and with it the other events of the webhook', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/429');
    await acme.emit();
    await sending(async () => {
      await until(() => expect(at('/429')).toHaveLength(1));
      await until(async () => {
        expect((await acme.deliveries(webhook_id))[0].attempts).toHaveLength(1);
      });
      await acme.emit();
      await new Promise((waited) => setTimeout(waited, 200));
      expect(at('/429')).toHaveLength(1);
      await pass(50);
      await until(() => expect(at('/429').length).toBeGreaterThan(1));
    });
  });

  it('can be sent again: one, or all since a time', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/204/replay');
    await acme.emit();
    await acme.emit();
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = (json: object) => acme.call('POST', `/${webhook_id}/replay`, json);
    const received = async (times: number) => {
      await until(() => expect(at('/204/replay')).toHaveLength(times));
      // A replay during an attempt is fulfilled by that attempt.
      await until(async () => {
        const states = (await acme.deliveries(webhook_id)).map(
          (each: { state: string }) => each.state,
        );
        expect(states).toEqual(['delivered', 'delivered']);
      });
    };
    await sending(async () => {
      await received(2);
      const [{ event_id }] = await acme.deliveries(webhook_id);
      expect((await replay({ event_id })).body).toEqual({ events: 1 });
      await received(3);
      expect((await replay({ since })).body).toEqual({ events: 2 });
      await received(5);
    });
    expect(new Set(at('/204/replay').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expectProblem(await replay({ event_id: `msg_${'0'.repeat(32)}` }), 404, 'not_found');
  });
});

describe('a receiver', () => {
  it('that answers 410 gets nothing more until its webhook is enabled', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/410');
    await acme.emit();
    await sending(async () => {
      await until(async () => {
        const { body } = await acme.call('GET', `/${webhook_id}`);
        expect(body.disabled_by).toBe('gone');
      });
      // Not stored, and so not sent later.
      await acme.emit();
      expect(await acme.deliveries(webhook_id)).toHaveLength(1);
      await pass(10);
      await new Promise((waited) => setTimeout(waited, 200));
      expect(at('/410')).toHaveLength(1);
      const change = { url: receiver.url('/204/back'), disabled: false };
      await acme.call('PATCH', `/${webhook_id}`, change);
      await acme.emit();
      await until(() => expect(at('/204/back')).toHaveLength(2));
    });
  });

  it('that fails for days is disabled', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/500/days');
    await acme.emit();
    await sending(async () => {
      await until(() => expect(at('/500/days')).toHaveLength(1));
      await until(async () => {
        expect((await acme.call('GET', `/${webhook_id}`)).body.failing_since).not.toBeNull();
      });
      await pass(5 * 24 * 3_600 + 60);
      await until(async () => {
        expect((await acme.call('GET', `/${webhook_id}`)).body.disabled_by).toBe('failing');
      });
    });
  });

  it('that does not answer delays no other one', async () => {
    const acme = await partner();
    for (let i = 0; i < 5; i++) await acme.webhook(`/silent/${i}`);
    await acme.webhook('/204/beside');
    for (let i = 0; i < 20; i++) await acme.emit();
    const begun = performance.now();
    await sending(() => until(() => expect(at('/204/beside')).toHaveLength(20)), 60_000);
    expect(performance.now() - begun).toBeLessThan(20_000);
    // Each has its few requests, not all that are due.
    for (let i = 0; i < 5; i++) expect(at(`/silent/${i}`).length).toBeLessThanOrEqual(4);
  });
});

it('receivers of one partner that do not answer delay no other partner', async () => {
  const [slow, other] = [await partner(), await partner()];
  for (let i = 0; i < 17; i++) await slow.webhook('/silent/many');
  for (let i = 0; i < 4; i++) await slow.emit();
  await other.webhook('/204/prompt');
  await sending(async () => {
    await until(() => expect(at('/silent/many')).toHaveLength(8));
    await other.emit();
    await until(() => expect(at('/204/prompt')).toHaveLength(1));
    expect(at('/silent/many')).toHaveLength(8);
  });
});

describe('a removed webhook', () => {
  it('is gone at once, and its deliveries a little later', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/204/removed');
    await acme.emit();
    expect((await acme.call('DELETE', `/${webhook_id}`)).status).toBe(204);
    expect((await acme.call('GET', '')).body).toEqual([]);
    await acme.emit();
    const rows = async () => {
      const { rows } = await sql<{ secrets: number; deliveries: number; webhooks: number }>`
        select (select count(*) from webhook_secret where webhook_id = ${webhook_id}) as secrets,
          (select count(*) from webhook_delivery where webhook_id = ${webhook_id}) as deliveries,
          (select count(*) from webhook where webhook_id = ${webhook_id}) as webhooks
      `.execute(service.database.db);
      return rows[0];
    };
    expect(await rows()).toEqual({ secrets: 0, deliveries: 1, webhooks: 1 });
    const other = await partner();
    await other.webhook('/204/later');
    await other.emit();
    await sending(() => until(() => expect(at('/204/later')).toHaveLength(1)));
    expect(at('/204/removed')).toEqual([]);
    expect(await service.records.webhooks.deleteRemoved()).toBeGreaterThan(0);
    expect(await rows()).toEqual({ secrets: 0, deliveries: 0, webhooks: 0 });
  });

  it('does not stop a transaction that tells it about something', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/204/racing');
    const { db } = service.database;
    let emitted: Promise<void> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`delete from webhook where webhook_id = ${webhook_id}`.execute(tx);
      emitted = acme.emit();
      await until(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock' and query like '%webhook_delivery%'
        `.execute(db);
        expect(rows).toHaveLength(1);
      });
    });
    await expect(emitted).resolves.toBeUndefined();
  });
});

describe('operators', () => {
  it('see all webhooks without queries, and disable them for good', async () => {
    const acme = await partner();
    const { webhook_id } = await acme.webhook('/204/operator?token=hidden');
    const token = service.adminToken;
    const admin = (method: string, path: string, json?: unknown) =>
      service.call(method, `/admin/v1/webhooks${path}`, { token, json });
    const listed = (await admin('GET', '')).body;
    expect(
      listed.find((each: { webhook_id: number }) => each.webhook_id === webhook_id),
    ).toMatchObject({
      partner_id: acme.partnerId,
      url: receiver.url('/204/operator?…'),
      pending: 0,
    });
    expect((await admin('PATCH', `/${webhook_id}`, { disabled: true })).status).toBe(204);
    await acme.emit();
    const enabled = await acme.call('PATCH', `/${webhook_id}`, { disabled: false });
    expectProblem(enabled, 403, 'forbidden');
    expect((await admin('GET', `/${webhook_id}/deliveries`)).body).toMatchObject([
      { type: 'watch.paused', state: 'pending', attempts: [] },
    ]);
    expect((await admin('PATCH', `/${webhook_id}`, { disabled: false })).status).toBe(204);
    await sending(() => until(() => expect(at('/204/operator?token=hidden')).toHaveLength(1)));
  });
});

it('old events and ended secrets are pruned', async () => {
  const acme = await partner();
  const { webhook_id } = await acme.webhook('/204/old');
  await acme.emit();
  const { db } = service.database;
  const days = sql`interval '8 days'`;
  await sql`update webhook_delivery set created_at = created_at - ${days}`.execute(db);
  await sql`update webhook_event set created_at = created_at - ${days}`.execute(db);
  await acme.emit();
  const { signal } = new AbortController();
  await pruneExpired(service.records).run(signal);
  expect(await acme.deliveries(webhook_id)).toHaveLength(1);
  const { rows } = await sql`select from webhook_event`.execute(db);
  expect(rows).toHaveLength(1);
});
