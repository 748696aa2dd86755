import type { Attribute, WithheldReason } from './attribute.ts';

/** Why a row has no figures, to stand in its place. */
export const withheldBecause: Record<WithheldReason, string> = {
  audience_too_small: 'the audience is too small to describe',
  too_few_devices: 'too few devices carry this',
  too_few_others: 'too few devices lack this',
  no_devices_outside: 'the audience is all there is to compare with',
};

/** Said once where something is withheld. The report does not tell the limit that is in force. */
export const thresholdNote =
  'Figures about fewer than 50 devices are withheld, so that nobody can be singled out; your operator may have set another limit.';

export interface Withheld {
  readonly reason: WithheldReason;
  readonly attributes: readonly Attribute[];
}

/** What is left out of the plot, by reason. A service that gives none is taken to mean too few. */
export function withheldOf(attributes: readonly Attribute[]): Withheld[] {
  const reasons = new Map<WithheldReason, Attribute[]>();
  for (const attribute of attributes) {
    if (attribute.standing !== 'withheld') continue;
    const reason = attribute.reason ?? 'too_few_devices';
    const same = reasons.get(reason);
    if (same) same.push(attribute);
    else reasons.set(reason, [attribute]);
  }
  return [...reasons].map(([reason, same]) => ({ reason, attributes: same }));
}
