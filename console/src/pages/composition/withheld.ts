import type { Attribute, WithheldReason } from './attribute.ts';

/** Shown in place of the figures of a row. */
export const withheldBecause: Record<WithheldReason, string> = {
  audience_too_small: 'the audience is too small',
  too_few_devices: 'too few devices have this attribute',
  too_few_others: 'too few devices lack this attribute',
  too_few_in_baseline: 'too few devices of the baseline have or lack this attribute',
  no_devices_outside: 'there are no devices outside the audience to compare with',
};

/** Shown once if anything is withheld. The report does not contain the actual limit. */
export const thresholdNote =
  'An attribute’s figures are withheld if they are based on fewer than 50 devices, to protect individuals. Your operator may have set another limit.';

/** The other half of the rule. */
export const labelNote =
  'The counts of event labels come from the audience’s own files, so small ones are shown as well.';

export interface Withheld {
  readonly reason: WithheldReason;
  readonly attributes: readonly Attribute[];
}

/** Attributes omitted from the plot, by reason. Without a reason, too few devices is assumed. */
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
