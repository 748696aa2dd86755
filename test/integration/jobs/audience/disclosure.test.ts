import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDisclosures,
  type Disclosures,
} from '../../../../src/domain/disclosure/disclosure.ts';
import { refreshAudiences } from '../../../../src/jobs/audience/refresh-audiences.ts';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { exactRules } from '../../../support/composition-counts.ts';
import { deviceRows as rows } from '../../../support/devices.ts';

const rules = { ...exactRules, mode: 'protected', contentsPerDay: 12 } as const;

let audiences: Audiences;
let service: TestApp;
let disclosures: Disclosures;
let acme: LoadingPartner;
let token: string;
let supplier: LoadingPartner;
let ownAttribute: number;
let foreignAttribute: number;
let files = 0;
const { signal } = new AbortController();

beforeAll(async () => {
  audiences = await freshAudiences();
  const { records, db } = audiences;
  // The same noise in every run: one count in twenty has none.
  await db
    .updateTable('disclosure_key')
    .set({ key: Buffer.alloc(32, 7) })
    .execute();
  disclosures = createDisclosures(rules, await records.reportedContents.draw());
  service = await startTestApp({
    database: { ...audiences.database, records, db, [Symbol.asyncDispose]: async () => {} },
    disclosure: rules,
  });
  acme = await audiences.partner();
  token = (await records.apiKeys.create(acme.partnerId, '')).apiKey;
  supplier = await audiences.partner();
  ownAttribute = await acme.attribute();
  foreignAttribute = await supplier.attribute();
  await importRows(acme, ownAttribute, 0, 300);
  await importRows(supplier, foreignAttribute, 200, 1_003);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await audiences[Symbol.asyncDispose]();
});

async function importRows(of: LoadingPartner, attribute: number, from: number, to: number) {
  await of.put('attributes.csv', rows(from, to, attribute));
  await of.import('attributes.csv');
}

async function put(from: number, to: number): Promise<string> {
  const path = `${++files}.csv`;
  await acme.put(path, rows(from, to, ''));
  return path;
}

async function load([from, to]: [number, number], ...others: [number, number][]): Promise<number> {
  const audienceId = await acme.create(await put(from, to));
  await audiences.work({ disclosures });
  for (const range of others) await append(audienceId, ...range);
  return audienceId;
}

async function append(audienceId: number, from: number, to: number): Promise<void> {
  await acme.append(audienceId, await put(from, to));
  await audiences.work({ disclosures });
}

async function refresh(): Promise<void> {
  await audiences.warehouse.refreshUniverse(signal);
  const soon = { quietMs: 20, patienceMs: 200, retryMs: 1_000 };
  await refreshAudiences({ ...audiences, disclosures }, soon).run(signal);
}

function get(audienceId: number, path = '/composition', accept?: string): Promise<Answer> {
  const headers = accept === undefined ? {} : { accept };
  return service.call('GET', `/v2/firstparty/audience/${audienceId}${path}`, { token, headers });
}

/** How fast a job ran may be any number. */
function withoutSpeed(text: string): string {
  return text.replaceAll(/"(rows_per_second|eta_seconds)":\d+/g, '');
}

async function figures(audienceId: number) {
  const { body } = await get(audienceId);
  const attribute = (id: number) =>
    body.attributes.find((one: { attribute_id: number }) => one.attribute_id === id);
  return { ...body, own: attribute(ownAttribute), foreign: attribute(foreignAttribute) };
}

describe('a protected report', () => {
  it('shows the partner its own counts exactly, and those of others with noise', async () => {
    const tea = await load([100, 600]);
    const report = await figures(tea);
    expect(report.disclosure).toEqual({
      mode: 'protected',
      scale: 10,
      sizes_exact: false,
      held_until: null,
    });
    expect(report.unique_devices).toBe(500);
    expect(report.own).toMatchObject({
      exact: true,
      audience_devices: 200,
      baseline_devices: 300,
    });
    expect(report.foreign.exact).toBe(false);
    const shown = [
      report.foreign.audience_devices,
      report.foreign.baseline_devices,
      report.matched_devices,
      report.universe_devices,
    ];
    expect(shown).not.toEqual([400, 803, 500, 1_003]);
    for (const [i, exact] of [400, 803, 500, 1_003].entries()) {
      expect(Math.abs(shown[i] - exact)).toBeLessThan(120);
    }
    expect(report.foreign.audience_share).toBe(
      report.foreign.audience_devices / report.matched_devices,
    );
  });

  it('is the same through every door', async () => {
    const tea = await load([100, 600]);
    const report = await figures(tea);
    const [lines, details, list, history] = await Promise.all([
      get(tea, '/composition', 'text/csv'),
      get(tea, ''),
      service.call('GET', '/v2/firstparty/audience', { token }),
      get(tea, '/history'),
    ]);
    const cells = lines.text.split('\r\n').map((line) => line.split(','));
    const at = cells[0]!.indexOf('audience_devices');
    const foreign = cells.find(([id]) => id === String(foreignAttribute))!;
    expect(foreign[at]).toBe(String(report.foreign.audience_devices));
    expect(details.body.matched_devices).toBe(report.matched_devices);
    expect(list.status, list.text).toBe(200);
    const listed = list.body.find((one: { audience_id: number }) => one.audience_id === tea);
    expect(listed.matched_devices).toBe(report.matched_devices);
    const [change] = history.body;
    expect(change).toMatchObject({
      matched_devices: report.matched_devices,
      universe_devices: report.universe_devices,
    });
    const top = change.top_attributes.find(
      (one: { attribute_id: number }) => one.attribute_id === foreignAttribute,
    );
    expect(top.audience_devices).toBe(report.foreign.audience_devices);
  });

  it('has no exact count of others behind any door of the partner', async () => {
    const tea = await load([5_000, 5_100], [100, 300], [300, 617]);
    const { default_warehouse_segment_id: segment } = await figures(tea);
    const { body: described } = await service.call('GET', '/openapi.json');
    const values: Record<string, readonly number[]> = {
      audience_id: [tea],
      segment_id: [segment],
      attribute_id: [ownAttribute, foreignAttribute],
      import_log_id: [1, 2],
      job_id: [1, 2, 3],
    };
    const paths = Object.entries<object>(described.paths)
      .filter(([path, verbs]) => 'get' in verbs && !path.startsWith('/admin'))
      .flatMap(([path]) => {
        const [, name] = /\{(\w+)\}/.exec(path) ?? [];
        const given = name === undefined ? [''] : (values[name] ?? []);
        return given.map((value) => path.replace(/\{\w+\}/, String(value)));
      });
    const other = await load([5_000, 5_100]);
    const baselines = [`partner:${supplier.partnerId}`, `audience:${other}`];
    const compared = baselines.map((baseline) => `/composition?baseline=${baseline}`);
    // The first request has the supplier's devices counted.
    for (const path of compared) await get(tea, path);
    await refresh();
    for (const path of compared) {
      expect((await get(tea, path)).status).toBe(200);
      paths.push(`/v2/firstparty/audience/${tea}${path}`);
    }
    // Foreign devices in the audience, all foreign devices, matched devices and the universe.
    const exact = /\b(417|803|517|1003)\b/;
    let answered = 0;
    for (const path of paths) {
      for (const accept of ['application/json', 'text/csv']) {
        const { status, text } = await service.call('GET', path, { token, headers: { accept } });
        if (status !== 200) continue;
        answered++;
        if (!/openapi|docs|limits|account/.test(path))
          expect(withoutSpeed(text), path).not.toMatch(exact);
      }
    }
    expect(answered).toBeGreaterThan(20);
  });

  it('has the same noise for the same devices, however they were loaded', async () => {
    const once = await figures(await load([100, 600]));
    const again = await figures(await load([350, 600], [100, 400], [100, 110]));
    expect(again.foreign).toEqual(once.foreign);
    expect(again.matched_devices).toBe(once.matched_devices);
    const other = await figures(await load([100, 601]));
    expect([other.foreign.audience_devices, other.matched_devices]).not.toEqual([
      once.foreign.audience_devices,
      once.matched_devices,
    ]);
  });

  it('keeps its sizes on the same day if only the own attributes of the partner change', async () => {
    const tea = await load([100, 600]);
    const before = await figures(tea);
    await importRows(acme, ownAttribute, 300, 400);
    await refresh();
    const own = await figures(tea);
    expect(own.stale).toBe(false);
    expect(own.own.audience_devices).toBe(300);
    expect(own.matched_devices).toBe(before.matched_devices);
    expect(own.universe_devices).toBe(before.universe_devices);
    const again = await figures(await load([100, 600]));
    expect(again.matched_devices).toBe(before.matched_devices);
    await importRows(supplier, foreignAttribute, 1_003, 1_300);
    await refresh();
    expect((await figures(tea)).universe_devices).toBeGreaterThan(1_200);
  });

  it('shows its sizes anew at most five times a day, however often others change theirs', async () => {
    const sizes = { partnerId: acme.partnerId, fingerprint: 'sizes', isCharged: false };
    const shown: number[] = [];
    for (let version = 1; version <= 8; version++) {
      const counted = { universeVersion: version, matchedDevices: version, universeDevices: 9 };
      const content = { ...sizes, ...counted, foreignState: `state ${version}` };
      const released = await audiences.records.reportedContents.release(content, 1);
      shown.push(released!.matchedDevices);
    }
    expect(shown).toEqual([1, 2, 3, 4, 5, 5, 5, 5]);
  });

  it('shows no matched devices below the threshold', async () => {
    const tea = await load([250, 252]);
    expect((await figures(tea)).matched_devices).toBe(0);
    expect((await get(tea, '')).body.matched_devices).toBe(0);
  });

  it('is exact if the operator says so for the partner', async () => {
    const tea = await load([100, 600]);
    const admin = `/admin/v1/partners/${acme.partnerId}/disclosure`;
    const set = (mode: string | null) =>
      service.call('PUT', admin, { token: service.adminToken, json: { mode } });
    expect((await set('exact')).body).toEqual({ mode: 'exact' });
    const report = await figures(tea);
    expect(report.disclosure.mode).toBe('exact');
    expect(report.matched_devices).toBe(500);
    expect(report.foreign).toMatchObject({ exact: true, audience_devices: 400 });
    const audit = () => service.call('GET', '/admin/v1/audit', { token: service.adminToken });
    // The change is written after the response is sent.
    await expect
      .poll(async () => (await audit()).body)
      .toContainEqual(
        expect.objectContaining({
          action: 'PUT /admin/v1/partners/:partner_id/disclosure',
          before: { disclosure: null },
          after: { disclosure: 'exact' },
        }),
      );
    expect((await set(null)).body).toEqual({ mode: null });
    expect((await figures(tea)).disclosure.mode).toBe('protected');
  });

  it('stays at the last contents beyond the budget of the day, and says so', async () => {
    const tea = await load([100, 600]);
    const before = await figures(tea);
    for (let n = 0; n < rules.contentsPerDay; n++) await append(tea, 600 + n, 601 + n);
    const held = await figures(tea);
    expect(held).toMatchObject({ stale: true, disclosure: { held_until: expect.any(String) } });
    const tomorrow = new Date(held.disclosure.held_until);
    expect(tomorrow.toISOString()).toMatch(/T00:00:00.000Z$/);
    expect(held.unique_devices).toBeLessThan(500 + rules.contentsPerDay);
    expect((await get(tea, '')).body.matched_devices).toBe(held.matched_devices);
    const unseen = await load([0, 900]);
    const { status, text } = await get(unseen);
    expect(status).toBe(404);
    expect(text).toContain(tomorrow.toISOString());
    // Contents that were reported on today cost nothing, and neither do changes by others.
    expect((await figures(await load([100, 600]))).foreign).toEqual(before.foreign);
    await audiences.db
      .updateTable('audience')
      .set({ report_held_until: new Date(0) })
      .execute();
    await audiences.db.deleteFrom('reported_content').execute();
    await refresh();
    expect(await figures(tea)).toMatchObject({
      stale: false,
      unique_devices: 500 + rules.contentsPerDay,
      disclosure: { held_until: null },
    });
  });
});
