import { rename, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveMetrics } from '../../../../src/metrics/serve-metrics.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { freshRecords } from '../../../support/database.ts';
import { freePort } from '../../../support/free-port.ts';
import { openSocket } from '../../../support/http.ts';
import { startRelay } from '../../../support/relay.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

test('a running process is alive, without authentication', async () => {
  const answer = await service.call('GET', '/healthz');
  expect([answer.status, answer.body]).toEqual([
    200,
    { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
  ]);
});

describe('readiness', () => {
  const all = { database: 'ok', storage: 'ok', warehouse: 'ok', disk: 'ok' };
  const readiness = async () => {
    const { status, body } = await service.call('GET', '/readyz');
    return [status, body];
  };

  test('is 200 when database, storage and warehouse are available', async () => {
    expect(await readiness()).toEqual([200, { status: 'ready', checks: all }]);
  });

  test.each(['warehouse', 'storage'] as const)(
    'is 503 while the folder of the %s is missing',
    async (part) => {
      const folder = part === 'warehouse' ? service.warehouseDir : service.objectsDir;
      await rename(folder, `${folder}.away`);
      expect(await readiness()).toEqual([
        503,
        { status: 'not_ready', checks: { ...all, [part]: 'does not answer' } },
      ]);
      // The reason names folders of the machine, so only the log states it.
      expect(service.logged.join('')).toContain(`${part} unavailable`);
      expect(service.logged.join('')).toContain('ENOENT');
      await rename(`${folder}.away`, folder);
      expect(await readiness()).toEqual([200, { status: 'ready', checks: all }]);
    },
  );

  test('names every failed check', async () => {
    await using app = await startTestApp();
    await rm(app.warehouseDir, { recursive: true });
    await rm(app.objectsDir, { recursive: true });
    const { status, body } = await app.call('GET', '/readyz');
    expect(status).toBe(503);
    expect(body.checks).toEqual({
      database: 'ok',
      storage: 'does not answer',
      warehouse: 'does not answer',
      disk: 'ok',
    });
  });

  test('is 200 and says so while the disk has less free space than the reserve', async () => {
    const reserve = { check: () => Promise.reject(new Error('4 MiB free')) };
    await using app = await startTestApp({ reserve });
    const { status, body } = await app.call('GET', '/readyz');
    expect([status, body.status]).toEqual([200, 'ready']);
    expect(body.checks).toEqual({ ...all, disk: 'below the reserve' });
    expect(app.logged.join('')).toContain('disk space below the reserve');
  });

  test('times out when the database does not respond', async () => {
    await using database = await freshRecords();
    await using relay = await startRelay(database.url);
    await using app = await startTestApp({ database, databaseUrl: relay.url });
    relay.hold();
    const begun = Date.now();
    const { status, body } = await app.call('GET', '/readyz');
    expect(status).toBe(503);
    expect(body.checks.database).toBe('does not answer');
    expect(Date.now() - begun).toBeLessThan(10_000);
    await relay.cut();
  });
});

describe('metrics', () => {
  test('are served on their own port, which serves nothing else', async () => {
    await using app = await startTestApp();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    {
      await using _serving = await serveMetrics(app.metricsSources, '127.0.0.1', port);
      const answer = await fetch(`${url}/metrics`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
      const text = await answer.text();
      expect(text).toMatch(/^process_cpu_seconds_total \d/m);
      expect(text).toMatch(/^tributary_queue_oldest_age_seconds 0$/m);
      expect((await fetch(`${url}/`)).status).toBe(404);
      expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
      expect((await app.call('GET', '/metrics')).status).toBe(404);
      await openSocket(url);
    }
    await expect(fetch(`${url}/metrics`)).rejects.toThrow();
  });

  test('count requests by route, not by path, and jobs by state', async () => {
    await using app = await startTestApp();
    const { apiKey: token } = await app.partner();
    const json = { file_path: 'x.csv', key_type: 0 };
    await app.call('POST', '/v1/marketplace/import', { token, json });
    for (const id of [1, 2, 3]) await app.call('GET', `/v1/marketplace/import/${id}`, { token });
    await app.call('GET', '/secret-path');
    const text = await app.metrics();
    const count = (method: string, route: string, status: number) =>
      `tributary_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;
    expect(text).toContain(`${count('POST', '/v1/marketplace/import', 202)} 1`);
    expect(text).toContain(`${count('GET', '/v1/marketplace/import/:import_log_id', 404)} 2`);
    expect(text).toContain(`${count('GET', 'none', 404)} 1`);
    expect(text).not.toContain('secret-path');
    expect(text).toContain('tributary_jobs{state="pending"} 1');
    expect(text).toContain('tributary_backup_age_seconds Nan');
    expect(text).toContain('tributary_backup_failed 0');
    expect(text).toMatch(/^tributary_queue_oldest_age_seconds \d*\.?\d+$/m);
  });

  test('of the process are served while the database is unavailable', async () => {
    await using database = await freshRecords();
    await using relay = await startRelay(database.url);
    await using app = await startTestApp({ database, databaseUrl: relay.url });
    await relay.cut();
    const text = await app.metrics();
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    expect(text).toContain('tributary_dependency_up{dependency="database"} 0');
    expect(text).toContain('tributary_dependency_up{dependency="storage"} 1');
    expect(text).not.toContain('tributary_jobs');
  });
});
