import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { type CommandResult, tributary as runTributary } from '../command-line.ts';
import { type Marketplace, type Partner, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

function tributary(
  args: readonly string[],
  env?: Record<string, string>,
  onStderr?: () => void,
): Promise<CommandResult> {
  return runTributary(marketplace.service, args, env, onStderr);
}

async function partnerWith(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  const run = (...args: string[]) => tributary(args, { TRIBUTARY_API_KEY: partner.apiKey });
  return { ...partner, run };
}

async function newestLog(partner: Partner) {
  return (await partner.call('GET', '/v1/marketplace/import')).body[0];
}

describe('tributary import', { concurrent: true }, () => {
  test('queues an import and prints how to watch it', async () => {
    const partner = await partnerWith('k');
    const { code, stdout, stderr } = await partner.run('import', 'nothing.csv');
    const { import_log_id, key_type, path_type } = await newestLog(partner);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`tributary logs ${import_log_id} --watch`);
    expect({ key_type, path_type }).toEqual({ key_type: 1, path_type: 0 });
  });

  test('with --watch prints the progress and the log, and exits with 0 on success', async () => {
    const partner = await partnerWith('k');
    await partner.upload('some.csv', rows(1, 2_000, 'k'));
    // The import cannot run before the command has printed that it waits.
    const lane = await partner.held();
    const env = { TRIBUTARY_API_KEY: partner.apiKey };
    const watching = ['import', 'some.csv', '--watch'];
    const { code, stdout, stderr } = await tributary(watching, env, lane.release);
    expect(stdout).toMatch(/status +done\n[\s\S]*rows +2,000\ndevices +2,000\n/);
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`^waiting for job ${lane.importLogId}\\n`));
    expect(stderr.trimEnd().split('\n').length).toBeLessThan(10);
  });

  test('with --watch exits with 1 on failure, and prints the reason', async () => {
    const partner = await partnerWith('k');
    await partner.upload('bad.csv', 'one,two,three\n');
    const { code, stdout } = await partner.run('import', 'bad.csv', '--watch');
    expect(code).toBe(1);
    expect(stdout).toMatch(/status +failed/);
    expect(stdout).toContain(`wrong_columns  ${partner.storage.prefix}bad.csv  line 1`);
    expect((await tributary(['import', '--help'])).stdout).toMatch(/exit code is 0 .*done and 1 /);
  });

  test('passes its options on', async () => {
    const partner = await partnerWith('k');
    await partner.upload('ids', rows(1, 4, String(partner.attributeIds[0])));
    const dry = ['--key-type', '0', '--mode', 'replace', '--dry-run', '--no-compressed', '--json'];
    const { code, stdout } = await partner.run('import', 'ids', '--watch', ...dry);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ key_type: 0, log_type: 2, unique_devices: '4' });
    const compressed = await partner.run('import', 'ids', '--watch', '--compressed');
    expect([compressed.code, compressed.stdout]).toEqual([1, expect.stringContaining('gzip')]);
  });

  test('needs an API key, and credentials for a partner bucket', async () => {
    const without = await tributary(['import', 'a.csv']);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('--api-key')]);
    const wrong = await tributary(['import', 'a.csv', '--api-key', 'wrong']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/unknown or revoked/)]);
    const partner = await partnerWith('k');
    const own = await partner.run('import', 's3://bucket/a.csv');
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('AWS_SECRET_ACCESS_KEY')]);
    const env = {
      TRIBUTARY_API_KEY: partner.apiKey,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'nowhere',
    };
    const refused = await tributary(['import', 's3://bucket/a.csv'], env);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('"nowhere"')]);
  });
});

test('errors have one prefix, and name an address that cannot be reached', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const [unanswered, invalid, version] = await Promise.all([
    runTributary({ url }, ['logs', '--api-key', 'x']),
    tributary(['logs', '--api-key', 'x', '--nonsense']),
    tributary(['--version']),
  ]);
  const start = `tributary: cannot reach ${url} (ECONNREFUSED): check `;
  expect([unanswered.code, unanswered.stderr.slice(0, start.length)]).toEqual([1, start]);
  expect([invalid.code, invalid.stderr]).toEqual([1, "tributary: unknown option '--nonsense'\n"]);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe('tributary logs', { concurrent: true }, () => {
  test('lists the jobs, newest first, or shows one', async () => {
    const partner = await partnerWith('k');
    expect((await partner.run('logs')).stdout).toBe('There are no jobs yet.\n');
    const log = await partner.importedFile(`${rows(1, 40, 'k')}bad,k\n`);
    const deletion = await partner.deleted(['k']);
    const { stdout } = await partner.run('logs');
    const [heading, ...lines] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ID +KIND +STATUS +PATH +ROWS +DEVICES +PROBLEMS +UPDATED$/);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${deletion.import_log_id} +deletion +done +k +40 +40 `)),
      expect.stringMatching(
        new RegExp(`^${log.import_log_id} +import +done +devices.csv +41 +40 +1 `),
      ),
    ]);
    const one = await partner.run('logs', String(log.import_log_id));
    expect(one.stdout).toMatch(/malformed_id .*devices.csv {2}line 41\n/);
    const rejects = await partner.run('rejects', String(log.import_log_id));
    expect([rejects.code, rejects.stdout]).toEqual([
      0,
      `file,line,code,original\r\n${partner.storage.prefix}devices.csv,41,malformed_id,"bad,k"\r\n`,
    ]);
    const json = await partner.run('logs', String(log.import_log_id), '--json');
    expect(JSON.parse(json.stdout)).toEqual(log);
    const unknown = await partner.run('logs', '999999999');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('No such import log'),
    ]);
  });

  test('--watch follows one job or the newest to its end, and exits with its outcome', async () => {
    const partner = await partnerWith('k');
    const none = await partner.run('logs', '--watch');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no jobs yet')]);
    await partner.upload('good.csv', rows(1, 30_000, 'k'));
    const good = await partner.queue('good.csv');
    const failed = await partner.queue('nothing.csv');
    const newest = await partner.run('logs', '--watch', '--json');
    expect([newest.code, JSON.parse(newest.stdout).import_log_id]).toEqual([1, failed]);
    const older = await partner.run('logs', String(good), '--watch');
    expect([older.code, older.stdout]).toEqual([0, expect.stringMatching(/status +done/)]);
  });
});

test('tributary attribute creates, lists, imports a taxonomy and deletes', async () => {
  const partner = await partnerWith();
  const created = await partner.run('attribute', 'create', 'Autos > New', '--foreign-key', 'new');
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Created attribute \d/),
  });
  const file = join(marketplace.dataDir, 'taxonomy.csv');
  await writeFile(file, 'name,description,partnerkey\nTravel,,travel\nFood,,\n');
  expect((await partner.run('attribute', 'import', file)).stdout).toBe('Created 2 attributes.\n');
  const again = await partner.run('attribute', 'import', file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('"travel"')]);
  await partner.importedFile(rows(1, 1_234, 'new'));
  const { stdout } = await partner.run('attribute', 'list');
  expect(stdout).toMatch(/^ID +NAME +FOREIGN KEY +DEVICES\n\d+ +Autos > New +new +1,234\n/);
  const [first] = await partner.listed();
  const gone = await partner.run('attribute', 'delete', String(first?.attribute_id), '--watch');
  expect([gone.code, gone.stdout]).toEqual([0, expect.stringMatching(/kind +deletion/)]);
  expect(await partner.counts()).toEqual({ travel: 0, null: 0 });
});
