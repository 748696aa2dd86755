/** A measurement, compared with a peer or a target. */
export interface Finding {
  readonly what: string;
  readonly ours: Quantity;
  readonly peer?: Quantity & { readonly name: string };
  /** Without a target it is for information only. */
  readonly target?: Target;
}

export interface Quantity {
  readonly value: number;
  readonly unit: 's' | 'ms' | 'MB' | 'runs' | 'bytes' | 'million/s' | 'requests/s';
  /** The number of measurements; the value is their median, or the maximum for a peak. */
  readonly of: number;
}

/** At most `limit` times the peer, at least `limit` times faster than it, or at most `limit`. */
type Target =
  | { readonly kind: 'times_peer' | 'times_faster'; readonly limit: number }
  | { readonly kind: 'at_most'; readonly limit: number; readonly words?: string };

/** The share of the target that was used: at most 1 if the target is met. */
export function usedOf({ ours, peer, target }: Finding): number {
  if (!target) return Number.NaN;
  switch (target.kind) {
    case 'times_peer':
      return ours.value / peer!.value / target.limit;
    case 'times_faster':
      return (target.limit * ours.value) / peer!.value;
    case 'at_most':
      return ours.value / target.limit;
  }
}

export function quantityInWords({ value, unit }: Quantity): string {
  const digits = unit === 'runs' || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

/** Ours divided by the peer's, or the inverse for a target of being faster. */
export function ratioInWords({ ours, peer, target }: Finding): string {
  if (!peer) return '';
  return target?.kind === 'times_faster'
    ? `${(peer.value / ours.value).toFixed(2)} × faster`
    : `${(ours.value / peer.value).toFixed(2)} ×`;
}

export function targetInWords({ ours, target }: Finding): string {
  if (!target) return '';
  switch (target.kind) {
    case 'times_peer':
      return `at most ${target.limit} ×`;
    case 'times_faster':
      return `at least ${target.limit} × faster`;
    case 'at_most':
      return target.words ?? `at most ${target.limit} ${ours.unit}`;
  }
}
