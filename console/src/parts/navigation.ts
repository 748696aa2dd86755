import type { Session } from '../api/session.tsx';

export type Kind = Session['kind'];

export interface Place {
  readonly label: string;
  readonly path: string;
  /** Paths elsewhere that belong to it. */
  readonly others?: readonly string[];
}

const audiences: Place = {
  label: 'Audiences',
  path: '/console/audiences',
  others: ['/console/segments', '/console/compare'],
};

/** The header's links for each kind of user, the home page first. */
const places: Readonly<Record<Kind, readonly [Place, ...Place[]]>> = {
  customer: [audiences, { label: 'Connected apps', path: '/console/apps' }],
  partner: [
    { label: 'Imports', path: '/console/imports' },
    { label: 'Attributes', path: '/console/attributes' },
    audiences,
    { label: 'Upload', path: '/console/upload' },
  ],
  operator: [
    { label: 'Overview', path: '/console/operator' },
    { label: 'Jobs', path: '/console/operator/jobs' },
    { label: 'Partners', path: '/console/operator/partners' },
    { label: 'Customers', path: '/console/operator/customers' },
    { label: 'Grants', path: '/console/operator/grants' },
    { label: 'Sessions', path: '/console/operator/sessions' },
    { label: 'Webhooks', path: '/console/operator/webhooks' },
    { label: 'Usage', path: '/console/operator/usage' },
    { label: 'Privacy', path: '/console/operator/privacy' },
    { label: 'Audit', path: '/console/operator/audit' },
  ],
};

const account: Place = { label: 'Account', path: '/console/account' };

/** The pages in the menu of each kind of user. */
const menus: Readonly<Record<Kind, readonly Place[]>> = {
  customer: [account],
  partner: [
    account,
    { label: 'Usage', path: '/console/usage' },
    { label: 'Webhooks', path: '/console/webhooks' },
  ],
  operator: [account],
};

export function menuOf(kind: Kind): readonly Place[] {
  return menus[kind];
}

export function placesOf(kind: Kind): readonly Place[] {
  return places[kind];
}

export function homeOf(kind: Kind): string {
  return places[kind][0].path;
}

/** The place that a path belongs to: the most specific one that contains it. */
export function placeAt(kind: Kind, path: string): Place | undefined {
  return places[kind]
    .filter((place) =>
      [place.path, ...(place.others ?? [])].some(
        (under) => path === under || path.startsWith(`${under}/`),
      ),
    )
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** The kind of user that most likely wants a path. The sign-in preselects it. */
export function likelyKind(path: string): Kind {
  if (placeAt('operator', path)) return 'operator';
  if (placeAt('customer', path)) return 'customer';
  const isInMenu = path !== account.path && menus.partner.some((place) => place.path === path);
  return isInMenu || placeAt('partner', path) ? 'partner' : 'customer';
}
