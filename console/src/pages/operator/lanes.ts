import type { Lane, Status } from './wire.ts';

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

/** A partner whose jobs failed, are stuck or are slow. */
export interface TroubledPartner {
  readonly partner_id: number;
  readonly name: string;
  /** In the last 24 hours. */
  readonly failed_jobs: number;
  readonly last_failed_at: string | null;
  readonly trouble: Trouble | undefined;
}

/** Says which partners have problems. */
export const troubleRule =
  'A partner has problems if a job failed in the last 24 hours, if jobs have waited for a minute and none runs, or if the oldest job was queued at least 15 minutes ago.';

/** Stuck lanes first, then by the latest failure, then slow lanes. */
export function troubledPartners({
  queue,
  failures,
}: Pick<Status, 'queue' | 'failures'>): TroubledPartner[] {
  const troubles = new Map(queue.map((lane) => [lane.partner_id, troubleOf(lane)]));
  const failed = failures.map((each) => ({ ...each, trouble: troubles.get(each.partner_id) }));
  const known = new Set(failures.map(({ partner_id }) => partner_id));
  const others = worstFirst(queue)
    .filter((lane) => troubleOf(lane) !== undefined && !known.has(lane.partner_id))
    .map((lane) => ({
      partner_id: lane.partner_id,
      name: lane.name,
      failed_jobs: 0,
      last_failed_at: null,
      trouble: troubleOf(lane),
    }));
  const all = [...failed, ...others];
  return [
    ...all.filter(({ trouble }) => trouble === 'stuck'),
    ...all.filter(({ trouble }) => trouble !== 'stuck'),
  ];
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
  };
}
