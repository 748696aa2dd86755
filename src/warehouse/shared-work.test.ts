import { describe, expect, it } from 'vitest';
import { createSharedWork } from './shared-work.ts';

/** Work that runs until the test settles it, and records each run. */
function heldWork() {
  const turns: PromiseWithResolvers<string>[] = [];
  const signals: AbortSignal[] = [];
  const shared = createSharedWork((signal) => {
    const turn = Promise.withResolvers<string>();
    turns.push(turn);
    signals.push(signal);
    signal.addEventListener('abort', () => turn.reject(signal.reason));
    return turn.promise;
  });
  return { shared, turns, signals };
}

const { signal } = new AbortController();

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

describe('createSharedWork', () => {
  it('gives callers from before a run its outcome', async () => {
    const { shared, turns } = heldWork();
    const calls = [shared(signal), shared(signal)];
    await settle();
    turns[0]!.resolve('first');
    expect(await Promise.all(calls)).toEqual(['first', 'first']);
    expect(turns).toHaveLength(1);
  });

  it('runs again for callers that came while it was running', async () => {
    const { shared, turns } = heldWork();
    const early = shared(signal);
    await settle();
    const late = [shared(signal), shared(signal)];
    await settle();
    expect(turns).toHaveLength(1);
    turns[0]!.resolve('first');
    expect(await early).toBe('first');
    await settle();
    turns[1]!.resolve('second');
    expect(await Promise.all(late)).toEqual(['second', 'second']);
  });

  it('passes a failure to its callers and not to the next ones', async () => {
    const { shared, turns } = heldWork();
    const early = expect(shared(signal)).rejects.toThrow('broken');
    await settle();
    const late = shared(signal);
    turns[0]!.reject(new Error('broken'));
    await early;
    await settle();
    turns[1]!.resolve('whole');
    expect(await late).toBe('whole');
  });

  it('continues while one caller waits, and is aborted when none does', async () => {
    const { shared, turns, signals } = heldWork();
    const [one, other] = [new AbortController(), new AbortController()];
    const left = expect(shared(one.signal)).rejects.toThrow('one left');
    const last = expect(shared(other.signal)).rejects.toThrow('other left');
    await settle();
    one.abort(new Error('one left'));
    await left;
    expect(signals[0]!.aborted).toBe(false);
    other.abort(new Error('other left'));
    await last;
    expect(signals[0]!.aborted).toBe(true);
    await settle();
    const next = shared(signal);
    await settle();
    turns[1]!.resolve('next');
    expect(await next).toBe('next');
  });

  it('does not share a run that was aborted before it began', async () => {
    const { shared, turns } = heldWork();
    const running = shared(signal);
    await settle();
    const leaving = new AbortController();
    const left = expect(shared(leaving.signal)).rejects.toThrow('left');
    leaving.abort(new Error('left'));
    await left;
    const next = shared(signal);
    turns[0]!.resolve('first');
    await running;
    await settle();
    expect(turns).toHaveLength(2);
    turns[1]!.resolve('next');
    expect(await next).toBe('next');
  });

  it('rejects a caller whose signal is already aborted', async () => {
    const { shared, turns } = heldWork();
    await expect(shared(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(turns).toHaveLength(0);
  });
});
