import { setImmediate } from 'node:timers/promises';

/** A turn of the event loop in which a part of long work is done. */
export interface Turn {
  /** Whether the rest of the work should wait for another turn. */
  isOver(): boolean;
}

const turnMs = 1;
let previous: Promise<unknown> = Promise.resolve();

/**
 * Begins a turn for a part of long work, such as the text of a list. All long work of the process takes
 * turns, so a short request waits for one part, however many lists are being sent.
 */
export function nextTurn(): Promise<Turn> {
  const turn = previous.then(beginTurn);
  previous = turn;
  return turn;
}

async function beginTurn(): Promise<Turn> {
  await setImmediate();
  const endsAt = performance.now() + turnMs;
  return { isOver: () => performance.now() >= endsAt };
}
