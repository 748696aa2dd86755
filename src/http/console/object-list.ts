import { Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { sharedBucketKey } from '../../domain/source-path.ts';
import type { ObjectStore } from '../../objects/port.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import { parseQueryNumbers } from '../lists/query-numbers.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Nullable, Timestamp } from '../server/wire.ts';

const most = limits.listedKeys.most;
const byDefault = 100;

const ListQuery = Type.Object(
  {
    prefix: Type.Optional(
      Type.String({
        description:
          'Only paths that begin with this text, relative to your prefix. For example, a folder with its `/`. Defaults to all paths.',
        examples: ['2026/'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: most,
        description: `Maximum number of folders and files together. Defaults to ${byDefault}.`,
        examples: [100],
      }),
    ),
    after: Type.Optional(
      Type.String({
        // The longest key of S3 has 1,024 bytes.
        maxLength: Math.ceil((1_024 * 4) / 3),
        pattern: '^[\\w-]+$',
        description: 'The `next` of the page before.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The files that a partner has uploaded, one folder at a time. */
export function registerConsoleObjects(app: App, objects: ObjectStore, auth: Auth): void {
  app.get(
    '/v1/console/objects',
    {
      ...partnerRoute(auth, 'Console', {
        operationId: 'listConsoleObjects',
        summary: 'List uploaded files by folder',
        description:
          'Your folders and files in the shared bucket that begin with `prefix` and are not in a deeper folder. All paths are relative to your prefix, as in the `file_path` of an import.',
        querystring: ListQuery,
        response: {
          200: Type.Object({
            folders: Type.Array(Type.String(), {
              description: 'Paths that end in `/`.',
              examples: [['2026/may/']],
            }),
            files: Type.Array(
              Type.Object({
                path: Type.String({ examples: ['2026/devices.csv'] }),
                size: Type.Integer({ description: 'In bytes.', examples: [1200] }),
                modified_at: Timestamp,
              }),
            ),
            next: Nullable(Type.String(), {
              description: 'Send it as `after` for the next page. Null on the last page.',
              examples: [null],
            }),
          }),
        },
      }),
      preValidation: parseQueryNumbers('limit'),
    },
    async ({ partnerId, query }) => {
      const own = partnerPrefix(partnerId);
      const prefix = listedPrefix(own, query.prefix ?? '');
      const after = query.after === undefined ? null : fromCursor(query.after, prefix);
      const page = await objects.folder(prefix, after, query.limit ?? byDefault);
      return {
        folders: page.folders.map((folder) => folder.slice(own.length)),
        files: page.objects.map(({ key, size, modifiedAt }) => ({
          path: key.slice(own.length),
          size,
          modified_at: modifiedAt.toISOString(),
        })),
        next: page.next === null ? null : toCursor(page.next),
      };
    },
  );
}

/** Always below the partner's own prefix. */
function listedPrefix(own: string, prefix: string): string {
  if (prefix === '' || prefix === '/') return own;
  const key = sharedBucketKey(own, prefix);
  if (key instanceof TributaryError) {
    throw invalidInput('/prefix', key.message.replace(/^file_path /, 'prefix '));
  }
  return key;
}

/** A key may contain characters that are invalid in a URL. */
function toCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

function fromCursor(cursor: string, prefix: string): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  const isOurs = position.startsWith(prefix) && !position.includes('\0');
  if (isOurs && toCursor(position) === cursor) return position;
  throw invalidInput('/after', 'after must be the `next` of a page with the same prefix.');
}
