import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { descendants, stillRunning } from '../support/processes.ts';
import { apiOf } from './api.ts';
import { checkout, temporaryFolder, until } from './service.ts';

/** `npm run demo` without a terminal, with 2% of the devices. */
function startDemo(dataDir: string, ports: Record<'api' | 's3', number>, ...args: string[]) {
  const child = spawn(
    process.execPath,
    ['demo/main.ts', '--scale', '0.02', '--data-dir', dataDir, ...args],
    {
      cwd: checkout,
      env: { ...process.env, TRIBUTARY_PORT: `${ports.api}`, TRIBUTARY_S3_PORT: `${ports.s3}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { pid: child.pid as number, output, ended, stop: () => child.kill('SIGINT') };
}

interface Report {
  readonly stale: boolean;
  readonly unique_devices: number;
  readonly matched_devices: number;
  readonly attributes: { name: string; index: number | null }[];
}

interface Listed {
  readonly audience_id: number;
  readonly name: string;
  readonly default_warehouse_segment_id: number;
  readonly status: number;
}

test('the demo loads its audiences, stops on Ctrl-C and starts again with the same data', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'demo-data');
  const ports = { api: await freePort(), s3: await freePort() };
  const url = `http://127.0.0.1:${ports.api}`;
  const demo = startDemo(dataDir, ports);
  try {
    await until(
      'the demo to have loaded everything',
      async () => {
        const code = await Promise.race([demo.ended.then((end) => end.code), 'running']);
        if (code !== 'running') throw new Error(`it exited: ${demo.output.stderr}`);
        return demo.output.stdout.includes('Press Ctrl-C to stop');
      },
      240_000,
    );
    const { stdout, stderr } = demo.output;
    expect(stderr).toMatch(/^█.* % {2}Northfield Data uploads its devices$/m);

    const { call } = apiOf({ url });
    const read = async <T>(path: string, apiKey: string) =>
      (await (await call('GET', path, apiKey)).json()) as T;
    const reports = new Map<string, Report>();
    for (const [, apiKey = ''] of stdout.matchAll(/API key (\S+)$/gm)) {
      for (const listed of await read<Listed[]>('/v2/firstparty/audience', apiKey)) {
        expect(listed.status).toBe(2);
        const link = `${url}/console/segments/${listed.default_warehouse_segment_id}`;
        expect(stdout).toMatch(new RegExp(`${listed.name}: .*\n    ${link}\n`));
        const path = `/v2/firstparty/audience/${listed.audience_id}/composition`;
        reports.set(listed.name, await read<Report>(path, apiKey));
      }
    }

    expect([...reports.keys()].sort()).toEqual(['City commuters', 'New parents', 'Weekend hikers']);
    for (const report of reports.values()) {
      expect(report.stale).toBe(false);
      expect(report.attributes).toHaveLength(40);
      const matchRate = report.matched_devices / report.unique_devices;
      expect(matchRate).toBeGreaterThan(0.6);
      expect(matchRate).toBeLessThan(0.85);
    }
    const index = (audience: string, attribute: string) =>
      reports.get(audience)?.attributes.find(({ name }) => name === attribute)?.index;
    expect(index('Weekend hikers', 'Sports > Outdoor > Hiking and camping')).toBeGreaterThan(200);
    expect(index('Weekend hikers', 'Demographics > Residence > City')).toBeLessThan(90);
    expect(index('New parents', 'Demographics > Household > New baby')).toBeGreaterThan(900);
    expect(index('New parents', 'Demographics > Age > 45 to 64')).toBeLessThan(60);
    expect(index('City commuters', 'Travel > Commute > Public transport')).toBeGreaterThan(150);
    expect(index('City commuters', 'Demographics > Residence > Countryside')).toBeLessThan(40);

    const [, email, password] = /(\S+@\S+), password (\S+)$/m.exec(stdout) ?? [];
    const session = await fetch(`${url}/v1/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(await session.json()).toMatchObject({
      kind: 'customer',
      customer_name: 'Harbor Coffee',
    });

    const processes = await descendants(demo.pid);
    expect(processes.length).toBeGreaterThan(3);
    demo.stop();
    expect((await demo.ended).code).toBe(0);
    expect(await stillRunning(processes)).toEqual([]);

    const again = await startDemo(dataDir, ports, '--keep', '--exit').ended;
    expect(again.code).toBe(0);
    const summary = (text: string) => /^Composition reports.*admin-token$/ms.exec(text)?.[0];
    expect(summary(stdout)).toContain('Harbor Coffee');
    expect(summary(again.stdout)).toBe(summary(stdout));
    expect(again.stdout).not.toContain('imported');
  } finally {
    demo.stop();
    await demo.ended;
  }
});

test('the demo refuses ports in use before it changes anything', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'demo-data');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const taken = typeof address === 'object' && address ? address.port : 0;
  const { code, stdout, stderr } = await startDemo(dataDir, { api: taken, s3: await freePort() })
    .ended;
  other.close();
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    `tributary: TRIBUTARY_PORT ${taken} is unavailable: another process listens on it at 127.0.0.1. ` +
      'Choose other ports with TRIBUTARY_PORT and TRIBUTARY_S3_PORT.\n',
  );
});
