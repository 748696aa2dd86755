import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem } from '../../../support/http.ts';
import { audiencePartner, audiencesPath } from '../../../support/http-audiences.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const body = { name: 'Summer sale', file_path: 'a.csv' };

async function freshPartner() {
  const partner = await audiencePartner(service);
  const send = (method: string, path: string, json?: unknown, userToken?: string) =>
    partner.call(method, path, {
      ...(json === undefined ? {} : { json }),
      headers: {
        'idempotency-key': 'k',
        ...(userToken === undefined ? {} : { 'x-user-token': userToken }),
      },
    });
  const loads = async () => {
    const { partnerId } = partner;
    const jobs = service.database.db.selectFrom('job').where('partner_id', '=', partnerId);
    return (await jobs.select('job_id').execute()).length;
  };
  return { ...partner, send, loads };
}

test('a repeated creation gets the first response and creates one audience', async () => {
  const { send, loads, call } = await freshPartner();
  const [first, again] = [
    await send('POST', audiencesPath, body),
    await send('POST', audiencesPath, body),
  ];
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expect((await call('GET', audiencesPath)).body).toHaveLength(1);
  expect(await loads()).toBe(1);
  expectProblem(
    await send('POST', audiencesPath, { ...body, name: 'x' }),
    422,
    'idempotency_key_reused',
  );
});

test('a repeated append and a repeated clear are executed once', async () => {
  const { create, send, loads } = await freshPartner();
  const path = `${audiencesPath}/${await create()}`;
  for (let n = 0; n < 3; n++) {
    const answer = await send('PATCH', path, { file_path: 'b.csv' });
    expect([answer.status, answer.text]).toEqual([204, '']);
  }
  expect(await loads()).toBe(2);
  expect((await send('PUT', path)).status).toBe(204);
  const again = await send('PUT', path, {});
  expect([again.status, again.text]).toEqual([204, '']);
});

test('a repeated clear does not remove files appended since', async () => {
  const { create, call, send } = await freshPartner();
  const path = `${audiencesPath}/${await create()}`;
  await send('PUT', path);
  await call('PATCH', path, { json: { file_path: 'c.csv' } });
  expect((await call('GET', path)).body.status).toBe(0);
  await send('PUT', path);
  expect((await call('GET', path)).body.status).toBe(0);
  await call('PUT', path);
  expect((await call('GET', path)).body.status).toBe(2);
});

test('the same key is a different one for another customer and for no customer', async () => {
  const { customerToken, send, call } = await freshPartner();
  const [one, other] = [await customerToken(), await customerToken()];
  const ids = [];
  for (let round = 0; round < 2; round++) {
    for (const token of [undefined, one.userToken, other.userToken]) {
      ids.push((await send('POST', audiencesPath, body, token)).body.audience_id);
    }
  }
  expect(new Set(ids).size).toBe(3);
  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  expect((await call('GET', audiencesPath)).body).toHaveLength(3);
});

test('a key whose request was not found can be used later', async () => {
  const { create, send, loads } = await freshPartner();
  const missing = `${audiencesPath}/999999999`;
  expectProblem(await send('PATCH', missing, { file_path: 'b' }), 404, 'not_found');
  const path = `${audiencesPath}/${await create()}`;
  expect((await send('PATCH', path, { file_path: 'b' })).status).toBe(204);
  expect(await loads()).toBe(2);
});
