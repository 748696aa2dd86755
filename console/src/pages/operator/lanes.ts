import type { Lane } from './wire.ts';

/** Stuck: jobs wait and none runs. Slow: the oldest is under way for long. */
export type Trouble = 'stuck' | 'slow';

/** A free worker takes a job within a second; a minute without any is a worker or a store away. */
const stuckAfterSeconds = 60;
/** An import of ten million rows takes seconds: what takes this long waits behind many, or fails. */
const slowAfterSeconds = 15 * 60;

export function troubleOf(lane: Lane): Trouble | undefined {
  if (lane.running === 0 && lane.oldest_age_seconds >= stuckAfterSeconds) return 'stuck';
  return lane.oldest_age_seconds >= slowAfterSeconds ? 'slow' : undefined;
}

/** Those in trouble first, and of each kind the one that has waited longest. */
export function worstFirst(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || b.oldest_age_seconds - a.oldest_age_seconds,
  );
}

function rankOf(lane: Lane): number {
  const trouble = troubleOf(lane);
  return trouble === undefined ? 2 : trouble === 'stuck' ? 0 : 1;
}

export function totalOf(lanes: readonly Lane[]) {
  return {
    pending: lanes.reduce((sum, { pending }) => sum + pending, 0),
    running: lanes.reduce((sum, { running }) => sum + running, 0),
    inTrouble: lanes.filter((lane) => troubleOf(lane) !== undefined).length,
  };
}
