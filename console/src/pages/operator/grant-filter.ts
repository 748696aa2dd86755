const members = ['partner_id', 'customer_id', 'user_id'] as const;

/** Whose grants are looked at; as the address has it, for the service to judge. */
export type GrantFilter = Partial<Readonly<Record<(typeof members)[number], string>>>;

export function grantFilterIn(params: URLSearchParams): GrantFilter {
  return Object.fromEntries(
    members.flatMap((member) => {
      const value = params.get(member);
      return value === null ? [] : [[member, value]];
    }),
  );
}

/** The page that shows those grants alone. */
export function grantsPath(filter: GrantFilter = {}): string {
  const query = new URLSearchParams(filter);
  return query.size === 0 ? '/console/operator/grants' : `/console/operator/grants?${query}`;
}

/** What is no number is asked for as such, and so refused, rather than passed over. */
export function grantQuery(filter: GrantFilter): Partial<Record<(typeof members)[number], number>> {
  return Object.fromEntries(
    Object.entries(filter).map(([member, value]) => [member, Number(value)]),
  );
}
