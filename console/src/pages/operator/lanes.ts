import type { Lane } from './wire.ts';

/** Stuck: jobs wait but none runs. Slow: the oldest job was submitted long ago. */
export type Trouble = 'stuck' | 'slow';

/** A free worker claims a job within a second. After a minute, a worker or the storage is down. */
const stuckAfterSeconds = 60;
/** An import of ten million rows takes seconds. A job this old waits behind many, or fails. */
const slowAfterSeconds = 15 * 60;

export function troubleOf(lane: Lane): Trouble | undefined {
  if (lane.running === 0 && lane.oldest_age_seconds >= stuckAfterSeconds) return 'stuck';
  return lane.oldest_age_seconds >= slowAfterSeconds ? 'slow' : undefined;
}

/** Stuck lanes first, then slow ones, each by the longest wait. */
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
    troubled: lanes.filter((lane) => troubleOf(lane) !== undefined).length,
  };
}
