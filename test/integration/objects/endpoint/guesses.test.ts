import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGuessLimit } from '../../../../src/domain/guess-limit.ts';
import {
  bucket,
  type RawAnswer,
  sendRaw,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

const perMinute = 5;
let endpoint: TestEndpoint;
let network: string;
beforeAll(async () => {
  const guesses = createGuessLimit(perMinute);
  endpoint = await startTestEndpoint(undefined, { guesses, networkOf: () => network });
});
afterAll(() => endpoint[Symbol.asyncDispose]());
beforeEach(({ task }) => {
  network = task.id;
});

function list(partner: UploadingPartner, keys: Partial<UploadingPartner> = {}): Promise<RawAnswer> {
  const target = `/${bucket}?prefix=${partner.prefix}`;
  const { headers } = signRequest(endpoint.url, { ...partner, ...keys }, 'GET', target);
  return sendRaw(endpoint.url, 'GET', target, headers);
}

async function codesOf(count: number, call: (n: number) => Promise<RawAnswer>) {
  const codes: (string | undefined)[] = [];
  for (let n = 0; n < count; n++) codes.push((await call(n)).code);
  return codes;
}

test('unknown access keys are refused unchecked beyond the limit', async () => {
  const partner = await endpoint.partner();
  const guess = (n: number) => list(partner, { accessKeyId: `TRIBGUESS${n}` });
  expect(await codesOf(perMinute + 2, guess)).toEqual([
    ...Array(perMinute).fill('InvalidAccessKeyId'),
    'SlowDown',
    'SlowDown',
  ]);
  expect((await list(partner)).code).toBe('SlowDown');
  network = 'another';
  expect((await list(partner)).status).toBe(200);
});

test('wrong signatures are refused unchecked beyond the limit', async () => {
  const partner = await endpoint.partner();
  const guess = (n: number) => list(partner, { secretAccessKey: `secret ${n}` });
  expect(await codesOf(perMinute + 2, guess)).toEqual([
    ...Array(perMinute).fill('SignatureDoesNotMatch'),
    'SlowDown',
    'SlowDown',
  ]);
});

test('a client whose access key was right before is served beside an attacker', async () => {
  const [honest, other] = [await endpoint.partner(), await endpoint.partner()];
  expect((await list(honest)).status).toBe(200);
  await codesOf(perMinute, (n) => list(other, { accessKeyId: `TRIBGUESS${n}` }));
  expect((await list(other)).code).toBe('SlowDown');
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(honest)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
});

test('an old signature is not a wrong credential', async () => {
  const partner = await endpoint.partner();
  const old = () => partner.send('GET', `/${bucket}`, { at: new Date(0) });
  expect(new Set(await codesOf(perMinute * 2, old))).toEqual(new Set(['RequestTimeTooSkewed']));
  expect((await list(partner)).status).toBe(200);
});
