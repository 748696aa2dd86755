import type { Job } from './wire.ts';

const kinds = ['import', 'dry_run', 'deletion', 'erasure', 'audience'] as const;
const states = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;

/** The filter and the order of the list, as they are in the address. */
export interface JobFilter {
  readonly partner_id?: string;
  readonly kind?: Job['kind'];
  readonly state?: Job['state'];
  /** Dates. */
  readonly since?: string;
  readonly until?: string;
  readonly order?: 'newest' | 'failures';
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** Values that mean nothing are left out. */
export function jobFilterIn(params: URLSearchParams): JobFilter {
  const accepted: Record<keyof JobFilter, (text: string) => boolean> = {
    partner_id: (text) => /^[1-9]\d{0,14}$/.test(text),
    kind: (text) => kinds.some((kind) => kind === text),
    state: (text) => states.some((state) => state === text),
    since: isDate,
    until: isDate,
    order: (text) => text === 'newest' || text === 'failures',
  };
  return Object.fromEntries(
    Object.entries(accepted).flatMap(([name, accepts]) => {
      const value = params.get(name);
      return value !== null && accepts(value) ? [[name, value]] : [];
    }),
  );
}

/** The address of the list. */
export function jobsPath(filter: JobFilter = {}): string {
  const query = new URLSearchParams({ ...filter });
  return query.size === 0 ? '/console/operator/jobs' : `/console/operator/jobs?${query}`;
}

export function jobPath(jobId: number): string {
  return `/console/operator/jobs/${jobId}`;
}

/** As the API expects it. Failures come first unless another order is chosen. */
export function jobQuery({ partner_id, order = 'failures', ...others }: JobFilter) {
  return {
    ...others,
    order,
    ...(partner_id === undefined ? {} : { partner_id: Number(partner_id) }),
  };
}
