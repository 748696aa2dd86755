import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audiencePath, type Composition, ingestOf, type Problem } from '../audience/ingest.ts';
import { expectProblem } from '../expectations.ts';
import {
  type Marketplace,
  type Partner,
  rows,
  startMarketplace,
} from '../marketplace/marketplace.ts';
import { storageClient } from '../outside.ts';
import { type Probe, p99, startProbe, type Target } from './probe.ts';

const attackMs = 4_000;
const idleMs = 2_000;
/** The p99 is at most this many times the idle p99. */
const factor = 3;
/** What other programs on the machine may add to it. Quiet machines need none of it. */
const allowanceMs = 30;
/** Another program may delay any request, so an attack may show several times that it is harmless. */
const mostTries = 3;
const mebibyte = 1024 * 1024;
const rejectsPerJob = 4 * mebibyte;
const openUploads = 100;
const wrongPerMinute = 60;
const attributePath = '/v1/marketplace/attribute';

let marketplace: Marketplace;
let targets: Record<string, Target>;
let probe: Probe;
let victim: Partner;
let victimAudience: number;
let attacker: Partner;

beforeAll(async () => {
  marketplace = await startMarketplace({
    TRIBUTARY_REJECTS_PER_JOB: `${rejectsPerJob / mebibyte}MiB`,
    TRIBUTARY_S3_OPEN_UPLOADS: String(openUploads),
  });
  victim = await marketplace.partnerNamed('victim', 'k');
  attacker = await marketplace.partnerNamed('attacker', 'k');
  await victim.importedFile(rows(1, 1_000, 'k'));
  victimAudience = (await ingestOf(victim).loadedFile(rows(1, 500, 'seen'))).audience_id;
  // A process compiles the schemas of a route when it is first used.
  await victim.call('POST', attributePath, csvOf(['Attribute,,key\n']));
  await victim.call('GET', attributePath);
  await victim.call('GET', `${audiencePath}/${victimAudience}/composition`);
  const { url } = marketplace.service;
  targets = {
    GET: {
      url: `${url}${audiencePath}/${victimAudience}`,
      headers: { authorization: `Bearer ${victim.apiKey}` },
    },
    '/healthz': { url: `${url}/healthz`, headers: {} },
  };
  probe = await startProbe();
  lowerPriority();
  // The first round compiles what the others measure.
  await probe.during(targets, () => sleep(3_000));
});
afterAll(async () => {
  await probe?.[Symbol.asyncDispose]();
  await marketplace?.[Symbol.asyncDispose]();
});

/**
 * Attackers have machines of their own. Here they run in this process, which therefore leaves the cores
 * to the service and the probe when these need them.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  const { PRIORITY_LOW } = constants.priority;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), PRIORITY_LOW);
}

/** A taxonomy with these lines. */
function csvOf(lines: readonly string[]) {
  const text = `name,description,partnerkey\n${lines.join('')}`;
  return { text, headers: { 'content-type': 'text/csv' } };
}

/** Nobody else notices the attack. */
async function harmless(what: string, attack: () => Promise<void>): Promise<void> {
  let slowed = await slowedBy(what, attack);
  for (let tries = 2; tries <= mostTries && slowed.length > 0; tries++) {
    slowed = await slowedBy(`${what}, again`, attack);
  }
  expect(slowed).toEqual([]);
}

/** The targets whose p99 is too high during the attack. */
async function slowedBy(what: string, attack: () => Promise<void>): Promise<string[]> {
  const idle = await probe.during(targets, () => sleep(idleMs));
  const busy = await probe.during(targets, attack);
  return Object.keys(targets).filter((name) => {
    const [before, during] = [p99(idle[name]!), p99(busy[name]!)];
    const times = (during / before).toFixed(1);
    process.stdout.write(
      `${what}: p99 of ${name} ${during.toFixed(1)} ms, ${times} times idle (${before.toFixed(1)} ms), ${busy[name]!.length} requests\n`,
    );
    return during > factor * before + allowanceMs;
  });
}

/** Several clients that act again and again for the time of an attack. */
async function hammer(
  clients: number,
  act: () => Promise<unknown>,
  forMs = attackMs,
): Promise<void> {
  const end = performance.now() + forMs;
  const client = async () => {
    while (performance.now() < end) await act();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Acts this many times, several at once. */
async function repeat(
  times: number,
  clients: number,
  act: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < times) await act(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

describe('other tenants and /healthz are answered as usual while a tenant', () => {
  test('creates as many attributes as it may, and lists them', async () => {
    const most = 10_000;
    const lines = Array.from({ length: most - 1 }, (_, i) => `Attribute ${i},,key-${i}\n`);
    await harmless('many attributes', async () => {
      const created = await attacker.call('POST', attributePath, csvOf(lines));
      // The second time their keys are taken.
      expect([201, 409]).toContain(created.status);
      await hammer(8, () => attacker.call('GET', attributePath));
    });
    const json = { name: 'one too many', description: '' };
    expectProblem(await attacker.call('POST', attributePath, { json }), 409, 'limit_reached');
  });

  test('fills attributes and reads large reports', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => rows(i + 1, i + 1, `key-${i}`));
    await harmless('large reports', async () => {
      expect(await attacker.importedFile(lines.join(''))).toMatchObject({ status: 2 });
      const { audience_id } = await ingestOf(attacker).loadedFile(rows(1, 500, ''));
      const report = `${audiencePath}/${audience_id}/composition`;
      await hammer(8, () => attacker.call('GET', report));
    });
    // The other tenant's report has the attacker's attributes, and still comes.
    const { body } = await victim.call('GET', `${audiencePath}/${victimAudience}/composition`);
    expect((body as Composition).unique_devices).toBe(500);
  });

  test('sends small files with many rejected rows', async () => {
    const bomb = gzipSync(`${'x'.repeat(1_000)},\n`.repeat(10_000));
    expect(bomb.length).toBeLessThan(100_000);
    await repeat(6, 3, (number) => attacker.upload(`bomb/${number}.gz`, bomb));
    const ingest = ingestOf(attacker);
    let audienceId = 0;
    await harmless('rejected rows', async () => {
      audienceId = (await ingest.loaded('bomb/')).audience_id;
    });
    const problems: Problem[] = await ingest.errors(audienceId);
    expect(problems.map(({ code }) => code)).toContain('rejects_left_out');
    const { text } = await attacker.call('GET', `${audiencePath}/${audienceId}/rejects`);
    expect(text.length).toBeLessThan(1.5 * rejectsPerJob);
  });

  test('opens uploads, sends bodies slowly and keeps connections open', async () => {
    const { bucket: Bucket, prefix } = attacker.storage;
    const s3 = storageClient(attacker.storage);
    const sockets: Socket[] = [];
    const outcomes: string[] = [];
    try {
      await harmless('open uploads and connections', async () => {
        for (const address of [marketplace.service.url, marketplace.service.s3Url]) {
          const { hostname, port } = new URL(address);
          for (let i = 0; i < 150; i++) sockets.push(opened(connect(Number(port), hostname)));
        }
        for (let i = 0; i < 50; i++) {
          const upload = new PutObjectCommand({ Bucket, Key: `${prefix}slow-${i}` });
          sockets.push(slowUpload(await getSignedUrl(s3, upload)));
        }
        await repeat(200, 8, async (number) => {
          const Key = `${prefix}open-${number}`;
          const opening = s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
          outcomes.push(await opening.then(() => 'opened').catch(({ name }: Error) => name));
        });
        await sleep(attackMs / 2);
      });
    } finally {
      for (const socket of sockets) socket.destroy();
      s3.destroy();
      // The service ends them before the next test measures the idle service.
      await sleep(500);
    }
    expect(outcomes.filter((outcome) => outcome === 'opened')).toHaveLength(openUploads);
    expect(outcomes).toContain('QuotaExceeded');
  });

  test('has many small files under one prefix, and looks at them', async () => {
    const ingest = ingestOf(attacker);
    await harmless('a large prefix', async () => {
      await repeat(300, 8, (number) => attacker.upload(`many/${number}`, rows(number, number, '')));
      const audienceId = await ingest.create('many/');
      await hammer(4, () => attacker.call('GET', `${audiencePath}/${audienceId}`));
    });
  });

  test('guesses tokens', async () => {
    const { url } = marketplace.service;
    const guess = () => randomBytes(32).toString('hex');
    const attempts = [
      () => guessed(`${url}/admin/v1/partners`, { authorization: `Bearer ${guess()}` }),
      () => guessed(url + audiencePath, { authorization: `Bearer trib_key_${guess()}` }),
      () =>
        guessed(url + audiencePath, {
          authorization: `Bearer ${attacker.apiKey}`,
          'x-user-token': `trib_user_${guess()}`,
        }),
    ];
    const startedAt = performance.now();
    const statuses: number[] = [];
    await harmless('guessing', async () => {
      for (const attempt of attempts) {
        await repeat(150, 8, async () => statuses.push(await attempt()));
        expect(statuses.at(-1)).toBe(429);
      }
      const [first] = attempts;
      await hammer(8, async () => statuses.push(await first!()), attackMs / 2);
    });
    const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
    const judged = statuses.filter((status) => status !== 429);
    expect(new Set(judged)).toEqual(new Set([401]));
    // Those under way at the same time may be judged as well.
    expect(judged.length).toBeLessThanOrEqual((minutes + 1) * (wrongPerMinute + 8));
  });
});

function opened(socket: Socket): Socket {
  // The service may close it.
  return socket.on('error', () => {});
}

/** Announces a megabyte, and sends a byte at a time. */
function slowUpload(link: string): Socket {
  const { hostname, port, pathname, search, host } = new URL(link);
  const socket = opened(connect(Number(port), hostname));
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${mebibyte}\r\n\r\n`,
  );
  const timer = setInterval(() => socket.write('x'), 100);
  socket.on('close', () => clearInterval(timer));
  return socket;
}

/** From a network of its own, whose failures do not concern the others. */
function guessed(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, localAddress: '127.0.0.3' }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}
