/** An operation that the audit log can have. */
export interface Operation {
  /** As in the log: `POST /admin/v1/partners`. */
  readonly action: string;
  readonly summary: string;
  readonly group: string;
}

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly summary?: string; readonly tags?: string[] }>>
    >
  >;
}

/** Writes of objects have the names of S3. */
const ofObjects: readonly Operation[] = [
  { action: 's3:PutObject', summary: 'Upload an object', group: 'Object storage' },
  { action: 's3:DeleteObject', summary: 'Delete objects', group: 'Object storage' },
];

/** The operations in an OpenAPI document. Of those that only read, only the operator's are logged. */
export function operationsIn({ paths }: Described): Operation[] {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary = '', tags = [] }]) => ({
      action: `${method.toUpperCase()} ${routeOf(path)}`,
      summary,
      group: tags[0] ?? '',
    })),
  );
  return [...described, ...ofObjects].filter(
    ({ action }) => !isRead(action) || action.startsWith('GET /admin/'),
  );
}

/** The path as in the log, which has `*` for a key, because a key may contain slashes. */
function routeOf(path: string): string {
  return path.replace(/\{key\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
}

export function isRead(action: string): boolean {
  return action.startsWith('GET ') || action.startsWith('HEAD ');
}
