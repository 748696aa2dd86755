import { chmod, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { checkClock } from '../../../src/doctor/check-database.ts';
import { certificateFinding } from '../../../src/doctor/check-endpoints.ts';
import { examine } from '../../../src/doctor/examine.ts';
import { type Finding, worstOf } from '../../../src/domain/finding.ts';
import { runDoctor } from '../../../src/process/run-doctor.ts';
import { createSealing } from '../../../src/records/database/sealing.ts';
import { createRecords } from '../../../src/records/records.ts';
import { freePort } from '../../support/free-port.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../support/imports.ts';

let imports: Imports;
let acme: ImportingPartner;
let dataDir: string;
let attributeId: number;

beforeAll(async () => {
  imports = await freshImports();
  dataDir = dirname(imports.warehouseDir);
  for (const folder of [dataDir, imports.warehouseDir, join(dataDir, 'objects')]) {
    await chmod(folder, 0o700);
  }
  acme = await imports.partner();
  attributeId = await acme.attribute();
  // Over 100 memberships have a profile in the tests' warehouse.
  const devices = Array.from({ length: 300 }, (_, n) => String(n).padStart(12, '0'));
  const lines = devices.map((n) => `00000000-0000-4000-8000-${n},${attributeId}\n`);
  await acme.put('a.csv', lines.join(''));
  await acme.import('a.csv', 0);
  await imports.warehouse.refreshUniverse(new AbortController().signal);
});
afterAll(() => imports[Symbol.asyncDispose]());

interface Asked {
  readonly env?: Record<string, string>;
  readonly deep?: boolean;
  readonly records?: Imports['records'];
}

/** What is found, except how fast the disk of this machine is. */
async function found({ env = {}, deep = false, records = imports.records }: Asked = {}) {
  const settings = { TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_DISK_RESERVE: '0', ...env };
  const config = readConfig(settings, '/');
  const findings = await examine({ config, records, databaseError: null, parts: {}, deep });
  expect(findings.filter(({ check }) => check === 'fsync')).toHaveLength(1);
  return findings.filter(({ check }) => check !== 'fsync');
}

function problemsIn(findings: readonly Finding[]): [string, string, string][] {
  const bad = findings.filter(({ level }) => level !== 'ok');
  for (const { advice } of bad) expect(advice).not.toBeNull();
  return bad.map(({ level, check, found: text }) => [level, check, text]);
}

test('a healthy service has no problems, also if everything is read', async () => {
  const findings = await found({ deep: true });
  expect(problemsIn(findings)).toEqual([]);
  expect(worstOf(findings)).toBe('ok');
  const texts = findings.map(({ check, found: text }) => `${check}: ${text}`);
  const { length: files } = await imports.records.manifest.files();
  expect(files).toBeGreaterThan(1);
  expect(texts).toContain(
    `device sets: ${files} files of the manifest complete, every page verified`,
  );
  expect(texts).toContain('objects: 1 file of objects complete, every byte verified');
  expect(texts).toContain('deletions: no deleted data is on disk');
});

test('the settings, the disk and the rights of files are examined', async () => {
  const env = { TRIBUTARY_DISK_RESERVE: '900TB', TRIBUTARY_PROT: '1' };
  await writeFile(join(dataDir, 'secret-key'), 'x'.repeat(32), { mode: 0o600 });
  await chmod(join(dataDir, 'secret-key'), 0o644);
  expect(problemsIn(await found({ env }))).toEqual([
    ['warning', 'settings', 'TRIBUTARY_PROT is not a setting'],
    ['failure', 'permissions', expect.stringContaining('secret-key has mode 0644')],
    ['failure', 'disk', expect.stringContaining('uploads and loads are refused')],
  ]);
  await rm(join(dataDir, 'secret-key'));
  const config = readConfig({ TRIBUTARY_DATA_DIR: join(dataDir, 'elsewhere') }, '/');
  const parts = { bucket: () => Promise.reject(new Error('The bucket x is unavailable.')) };
  const nowhere = { config, records: null, databaseError: null, parts, deep: false };
  expect(problemsIn(await examine(nowhere))).toEqual([
    ['failure', 'data dir', `${join(dataDir, 'elsewhere')} does not exist`],
    ['failure', 'bucket', 'The bucket x is unavailable.'],
    ['failure', 'database', 'not available'],
  ]);
});

describe('files', () => {
  /** The path of a run file, and of the only object. */
  async function paths() {
    const { file } = (await imports.records.manifest.files())[0]!;
    const objects = join(dataDir, 'objects');
    const [folder = ''] = (await readdir(objects)).filter((name) => name.length === 2);
    const [blob = ''] = await readdir(join(objects, folder));
    return { file, run: join(imports.warehouseDir, file), blob: join(objects, folder, blob) };
  }

  /** Flips a byte, and flips it back when disposed. */
  async function damage(path: string): Promise<AsyncDisposable> {
    async function flip(): Promise<void> {
      await using file = await open(path, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, 60);
      await file.write(Buffer.of(byte[0]! ^ 1), 0, 1, 60);
    }
    await flip();
    return { [Symbol.asyncDispose]: flip };
  }

  test('a flipped byte is found by reading everything', async () => {
    const { file, run, blob } = await paths();
    await using _run = await damage(run);
    await using _blob = await damage(blob);
    expect(problemsIn(await found())).toEqual([]);
    expect(problemsIn(await found({ deep: true }))).toEqual([
      ['failure', 'device sets', expect.stringContaining(`1 file cannot be read: ${file}: `)],
      [
        'failure',
        'objects',
        expect.stringMatching(/^1 file cannot be read: .*a\.csv: checksum mismatch/),
      ],
    ]);
  });

  test('missing and shortened files are found at once', async () => {
    const { run, blob } = await paths();
    const content = await readFile(blob);
    await rename(run, `${run}.away`);
    await writeFile(blob, content.subarray(1));
    expect(problemsIn(await found())).toEqual([
      ['failure', 'device sets', expect.stringContaining('ENOENT')],
      ['failure', 'objects', expect.stringContaining(`instead of ${content.length}`)],
    ]);
    await rename(`${run}.away`, run);
    await writeFile(blob, content);
    expect(problemsIn(await found({ deep: true }))).toEqual([]);
  });

  test('orphaned files are found when they are old', async () => {
    const stray = join(imports.warehouseDir, 'stray.parquet');
    await writeFile(stray, 'x');
    expect(problemsIn(await found())).toEqual([]);
    const long = new Date(Date.now() - 48 * 3_600_000);
    await utimes(stray, long, long);
    expect(problemsIn(await found())).toEqual([
      ['warning', 'device sets', expect.stringContaining('1 orphaned file (1 B)')],
    ]);
    await rm(stray);
  });
});

test('secrets with an older or unknown key are counted', async () => {
  const [older, newer] = ['o'.repeat(32), 'n'.repeat(32)];
  const sealedWith = (...keys: string[]) => createRecords(imports.db, createSealing(keys));
  await sealedWith(older).storageCredentials.create(acme.partnerId);
  expect(problemsIn(await found({ records: sealedWith(newer, older) }))).toEqual([
    ['warning', 'secrets', 'encrypted with an older key: storage credentials: 1'],
  ]);
  expect(problemsIn(await found({ records: sealedWith(newer) }))).toEqual([
    ['failure', 'secrets', 'encrypted with an unknown key: storage credentials: 1'],
  ]);
  await sql`delete from storage_credential`.execute(imports.db);
});

test('old jobs, lost workers, late deletions and damaged runs are found', async () => {
  await acme.queue('a.csv', 0);
  await sql`
    update job set created_at = now() - interval '2 hours', losses = 2 where state = 'pending'
  `.execute(imports.db);
  await sql`update run_file set dropped_at = now() - interval '25 hours'`.execute(imports.db);
  const { runs } = (await imports.records.manifest.files())[0]!;
  await sql`
    insert into damaged_run (run_id, reason) values (${runs[0]!.runId}, 'x')
  `.execute(imports.db);
  expect(problemsIn(await found())).toEqual([
    ['warning', 'queue', expect.stringContaining('older than an hour')],
    ['warning', 'jobs', 'a job has lost its worker twice or more'],
    ['failure', 'deletions', 'deleted data should have left the disk 1.0 hours ago'],
    ['failure', 'damage', '1 run cannot be read'],
  ]);
  await sql`update run_file set dropped_at = now() - interval '20 hours'`.execute(imports.db);
  expect(problemsIn(await found()).map(([level, check]) => `${level} ${check}`)).toContain(
    'warning deletions',
  );
  await sql`update run_file set dropped_at = null`.execute(imports.db);
  await sql`delete from damaged_run`.execute(imports.db);
  await sql`update job set losses = 0, created_at = now()`.execute(imports.db);
});

test('a backup that failed or is late is found', async () => {
  const env = { TRIBUTARY_BACKUP_TARGET: '/backups', TRIBUTARY_BACKUP_HOURS: '24' };
  expect(problemsIn(await found({ env }))).toEqual([['warning', 'backup', 'there is none']]);
  const { backups } = imports.records;
  const backupId = await backups.begin({ action: 'create', target: '/backups' }, null);
  await backups.finish(backupId, 'failed', 'no space left');
  expect(problemsIn(await found())).toEqual([
    ['warning', 'backup', 'there is none; the last attempt failed'],
  ]);
  await sql`delete from backup`.execute(imports.db);
});

test('DROP is examined if it is used', async () => {
  const { dropSchedule } = imports.records;
  expect((await found()).map(({ check }) => check)).not.toContain('drop');
  await dropSchedule.recordAccess();
  expect(problemsIn(await found())).toEqual([]);
  const passed = async (days: number) => {
    await sql`update drop_schedule set accessed_at = now() - ${days} * interval '1 day'`.execute(
      imports.db,
    );
    return problemsIn(await found());
  };
  expect(await passed(40)).toEqual([['warning', 'drop', expect.stringContaining('left')]]);
  expect(await passed(46)).toEqual([['failure', 'drop', expect.stringContaining('ago')]]);
  await sql`update drop_schedule set accessed_at = now()`.execute(imports.db);
  await dropSchedule.recordFailure('status 401', 60);
  expect(await passed(0)).toEqual([['warning', 'drop', expect.stringContaining('problem')]]);
  await sql`delete from drop_schedule`.execute(imports.db);
});

describe('addresses', () => {
  test('names, connections and certificates are examined', async () => {
    await using server = await serverWithClock(0);
    const closed = await freePort();
    const env = {
      TRIBUTARY_PUBLIC_URL: 'https://nowhere.invalid',
      TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({
        here: server.url,
        closed: `http://127.0.0.1:${closed}`,
        plain: server.url.replace('http:', 'https:'),
      }),
    };
    const problems = problemsIn(await found({ env }));
    expect(problems.map(([level, check]) => `${level} ${check}`)).toEqual([
      'failure TRIBUTARY_PUBLIC_URL',
      'failure TRIBUTARY_PARTNER_S3_ENDPOINTS closed',
      'failure TRIBUTARY_PARTNER_S3_ENDPOINTS plain',
    ]);
    expect(problems[0]?.[2]).toContain('the name nowhere.invalid cannot be resolved');
    expect(problems[1]?.[2]).toContain('ECONNREFUSED');
  });

  test("a store's clock is compared with ours", async () => {
    await using server = await serverWithClock(600);
    const env = { TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ here: server.url }) };
    expect(problemsIn(await found({ env }))).toEqual([
      ['failure', 'clock', expect.stringMatching(/ is \d+\.\d s ahead of this machine's$/)],
    ]);
  });

  test('a certificate is renewed in time', () => {
    const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000);
    const level = (days: number) => certificateFinding('x', 'y', inDays(days)).level;
    expect([90, 10, 2, -1].map(level)).toEqual(['ok', 'warning', 'failure', 'failure']);
  });

  test('clocks may differ a little', () => {
    const level = (seconds: number) => checkClock('clock', seconds, 'x').level;
    expect([0.5, -1, 10, -10, 100, -100].map(level)).toEqual([
      'ok',
      'ok',
      'warning',
      'warning',
      'failure',
      'failure',
    ]);
  });

  /** Its clock is that many seconds ahead. */
  async function serverWithClock(seconds: number) {
    const server = createServer((_, response) => {
      response.setHeader('date', new Date(Date.now() + seconds * 1000).toUTCString());
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
});

describe('from the command', () => {
  const run = (env: Record<string, string>) =>
    runDoctor(
      readConfig({ TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_DISK_RESERVE: '0', ...env }, '/'),
      { deep: false },
    );

  test('a service that does not run is a failure, and the machine is examined', async () => {
    const findings = await run({});
    expect(problemsIn(findings)).toEqual([
      ['failure', 'database', 'the embedded PostgreSQL does not run'],
    ]);
    expect(findings.map(({ check }) => check)).toContain('disk');
  });

  test('the database of the settings is examined', async () => {
    const { url, schema } = imports.database;
    const env = { DATABASE_URL: url, TRIBUTARY_DATABASE_SCHEMA: schema };
    expect(problemsIn(await run({ ...env, TRIBUTARY_SECRET_KEY: 'k'.repeat(32) }))).toEqual([]);
    const wrong = url.replace(/\/\/[^@/]*@/, '//nobody@').replace(/\/[^/?]*(\?|$)/, '/nothing$1');
    const findings = problemsIn(await run({ ...env, DATABASE_URL: wrong }));
    expect(findings.map(([level, check]) => `${level} ${check}`)).toContain('failure database');
  });
});
