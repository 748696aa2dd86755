/** The kinds of token the service issues. The redactor knows exactly these. */
export const tokenKinds = ['admin', 'client', 'key', 'link', 'session', 'user'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** How every token of a kind begins. */
export function tokenPrefix(kind: TokenKind): string {
  return `trib_${kind}_`;
}
