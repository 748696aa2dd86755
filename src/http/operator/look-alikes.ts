import { Type } from 'typebox';
import { appearanceOf } from '../../domain/display-name.ts';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';

export const LookAlikeWarnings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Other partners and customers whose names look like this one. Missing if there are none.',
    examples: [['The name looks like the one of customer 3: "Harbor Coffee".']],
  }),
);

interface Named {
  readonly kind: 'partner' | 'customer';
  readonly id: number;
  readonly name: string;
}

const maximumWarnings = 5;

/** Users allow access by these names, so the operator should know which ones can be mistaken. */
export async function lookAlikeWarnings(
  records: Records,
  created: Named,
): Promise<{ warnings?: string[] }> {
  const appearance = appearanceOf(created.name);
  const warnings: string[] = [];
  for await (const { kind, id, name } of allNames(records)) {
    if (appearanceOf(name) !== appearance || (kind === created.kind && id === created.id)) continue;
    warnings.push(`The name looks like the one of ${kind} ${id}: "${name}".`);
    if (warnings.length === maximumWarnings) break;
  }
  return warnings.length > 0 ? { warnings } : {};
}

async function* allNames({ partners, customers }: Records): AsyncGenerator<Named> {
  const limit = limits.pageRecords.most;
  let isLast = false;
  for (let after = 0; !isLast; ) {
    const page = await partners.list({ after, limit });
    for (const { partnerId: id, name } of page) yield { kind: 'partner', id, name };
    after = page.at(-1)?.partnerId ?? 0;
    isLast = page.length < limit;
  }
  isLast = false;
  for (let after = 0; !isLast; ) {
    const page = await customers.list({ after, limit });
    for (const { customerId: id, name } of page) yield { kind: 'customer', id, name };
    after = page.at(-1)?.customerId ?? 0;
    isLast = page.length < limit;
  }
}
