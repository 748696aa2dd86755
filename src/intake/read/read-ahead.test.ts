import { expect, test } from 'vitest';
import { createReadAhead, type ReadAhead } from './read-ahead.ts';
import { createSharedBuffers } from './shared-buffers.ts';

const unit = 1 << 16;
const { signal: never } = new AbortController();

function createAhead(units: number): ReadAhead {
  return createReadAhead(createSharedBuffers(0), units * unit);
}

/** Whether a buffer is taken without waiting for anyone. */
async function isAdmitted(taken: Promise<unknown>): Promise<boolean> {
  let admitted = false;
  taken.then(
    () => {
      admitted = true;
    },
    () => {},
  );
  await new Promise(setImmediate);
  return admitted;
}

test('files before their turn take no more than the bound, in whole buffers', async () => {
  const ahead = createAhead(4);
  const [first, second] = [ahead.open(never), ahead.open(never)];
  await first.take(unit + 1);
  await second.take(unit);
  const tooLarge = second.take(2 * unit);
  expect(await isAdmitted(tooLarge)).toBe(false);
  expect(ahead.heldBytes).toBe(3 * unit);
});

test('free memory goes to the file that was opened first', async () => {
  const ahead = createAhead(2);
  const [first, second, third] = [ahead.open(never), ahead.open(never), ahead.open(never)];
  const held = await third.take(2 * unit);
  const [last, next] = [second.take(unit), first.take(2 * unit)];
  third.giveBack(held);
  expect(await isAdmitted(next)).toBe(true);
  expect(await isAdmitted(last)).toBe(false);
  first.giveBack(await next);
  expect(await isAdmitted(last)).toBe(true);
  expect(ahead.heldBytes).toBe(unit);
});

test('a file whose turn has come takes as much as it needs', async () => {
  const ahead = createAhead(1);
  const [first, second] = [ahead.open(never), ahead.open(never)];
  const early = await first.take(unit);
  const waiting = first.take(4 * unit);
  expect(await isAdmitted(waiting)).toBe(false);
  first.beginTurn();
  expect((await waiting).byteLength).toBe(4 * unit);
  await first.take(unit);
  expect(ahead.heldBytes).toBe(unit);
  // Memory that it took before its turn still counts.
  const next = second.take(unit);
  expect(await isAdmitted(next)).toBe(false);
  first.giveBack(early);
  expect(await isAdmitted(next)).toBe(true);
});

test('a file whose turn has come no longer keeps later files waiting', async () => {
  const ahead = createAhead(2);
  const [first, second] = [ahead.open(never), ahead.open(never)];
  await second.take(unit);
  const [large, small] = [first.take(2 * unit), second.take(unit)];
  expect(await isAdmitted(small)).toBe(false);
  first.beginTurn();
  expect((await large).byteLength).toBe(2 * unit);
  expect(await isAdmitted(small)).toBe(true);
});

test('an abort ends the wait of its own file and lets later files go on', async () => {
  const ahead = createAhead(2);
  const controller = new AbortController();
  const [first, second, third] = [
    ahead.open(never),
    ahead.open(controller.signal),
    ahead.open(never),
  ];
  await first.take(unit);
  const [refused, next] = [second.take(2 * unit), third.take(unit)];
  expect(await isAdmitted(next)).toBe(false);
  controller.abort(new Error('stopped'));
  await expect(refused).rejects.toThrow('stopped');
  expect(await isAdmitted(next)).toBe(true);
  await expect(second.take(unit)).rejects.toThrow('stopped');
});
