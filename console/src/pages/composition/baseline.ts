import type { Composition } from './attribute.ts';

/** What a report compares the audience with. */
export type Baseline = Composition['baseline'];

/** The baseline within a sentence: "as among all devices". */
export function baselineWords({ choice, name }: Pick<Baseline, 'choice' | 'name'>): string {
  if (choice.startsWith('partner:')) return `the devices known to ${name}`;
  return choice.startsWith('audience:') ? `the audience “${name}”` : 'all devices';
}

/** An audience as the console lists it. */
interface ListedAudience {
  readonly audience_id: number;
  readonly name: string;
  readonly customer_name: string | null;
}

/** The audiences that this one can be compared with: others of the same customer. */
export function comparableAudiences<T extends ListedAudience>(
  listed: readonly T[],
  audience: ListedAudience,
): T[] {
  return listed.filter(
    ({ audience_id, customer_name }) =>
      audience_id !== audience.audience_id && customer_name === audience.customer_name,
  );
}
