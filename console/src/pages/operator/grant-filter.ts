const members = ['partner_id', 'customer_id', 'user_id'] as const;

/** Whose grants to list. The values are taken from the address; the service validates them. */
export type GrantFilter = Partial<Readonly<Record<(typeof members)[number], string>>>;

export function grantFilterIn(params: URLSearchParams): GrantFilter {
  return Object.fromEntries(
    members.flatMap((member) => {
      const value = params.get(member);
      return value === null ? [] : [[member, value]];
    }),
  );
}

/** The address of the page that lists these grants. */
export function grantsPath(filter: GrantFilter = {}): string {
  const query = new URLSearchParams(filter);
  return query.size === 0 ? '/console/operator/grants' : `/console/operator/grants?${query}`;
}

/** An invalid number is sent as NaN, so the service refuses it. Dropping it would list all grants. */
export function grantQuery(filter: GrantFilter): Partial<Record<(typeof members)[number], number>> {
  return Object.fromEntries(
    Object.entries(filter).map(([member, value]) => [member, Number(value)]),
  );
}
