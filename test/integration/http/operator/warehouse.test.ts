import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem } from '../../../support/http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const to = 'clickhouse://tributary:verysecret@ch1.example.com/moved?cluster=main';

function warehouse(json?: object) {
  const method = json ? 'POST' : 'GET';
  return app.call(method, '/admin/v1/warehouse', { token: app.adminToken, json });
}

async function refused(json: object): Promise<string> {
  const answer = await warehouse(json);
  expectProblem(answer, 400, 'invalid_input');
  return answer.text;
}

test('one copy at a time is requested, shown and aborted, without its password', async () => {
  expect((await warehouse()).body).toMatchObject({ old_place: null, copy: null });
  await refused({ action: 'abort' });
  await refused({ action: 'forget' });
  await refused({ action: 'copy' });
  await refused({ action: 'copy', to: 'files' });
  expect(await refused({ action: 'copy', to: to.replace('main', '-') })).not.toContain('very');
  const { status, body, text } = await warehouse({ action: 'copy', to });
  expect(status).toBe(202);
  expect(body.copy).toMatchObject({
    to: 'ClickHouse at ch1.example.com:8123, cluster main, database moved',
    state: 'copying',
    problem: null,
  });
  expect(text).not.toContain('verysecret');
  expect(app.logged.join('\n')).not.toContain('verysecret');
  await refused({ action: 'copy', to });
  await refused({ action: 'abort', to });
  expect((await warehouse({ action: 'abort' })).body.copy.state).toBe('aborting');
  await refused({ action: 'abort' });
  // The place does not exist, so no worker can delete anything there.
  const forced = await warehouse({ action: 'abort', force: true });
  expect(forced.body.copy.state).toBe('aborted');
});
