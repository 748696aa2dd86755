import { type Static, Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { keyType, pathType } from '../../domain/job.ts';
import { partnerBucketPath, sharedBucketKey } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { BucketCredentials, ImportRequest } from '../../records/marketplace/import-logs.ts';
import {
  BucketCredentialsSchema,
  type PartnerBuckets,
  parseBucketCredentials,
} from './bucket-credentials.ts';

/** The body that queues an import, and the checks that its schema cannot express. */

export const QueueImport = Type.Object(
  {
    file_path: Type.String({
      minLength: 1,
      description:
        'With path_type 0: a path relative to your prefix in the shared bucket. With path_type 1: `s3://<bucket>/<path>`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.',
      examples: ['devices.csv'],
    }),
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'Type of the keys in the file: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    path_type: Type.Optional(
      Type.Enum([pathType.sharedBucket, pathType.partnerBucket], {
        default: pathType.sharedBucket,
        description: 'Where the file is: 0 = the shared bucket, 1 = your own bucket.',
      }),
    ),
    credentials: Type.Optional(BucketCredentialsSchema),
    compressed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the files are compressed with gzip. If a file does not match, the import fails. If left out, gzip and zstd are detected from the content of each file.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum(['merge', 'replace'], {
        default: 'merge',
        description:
          '`merge` adds and removes devices row by row. `replace` replaces the devices of every attribute in the import with those in its files, all at the same time. With `replace`, a row with operation 1 fails the import.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Reads and checks all files and reports counts and errors in the import log, but applies nothing.',
      }),
    ),
  },
  { additionalProperties: false },
);

export interface ParsedImport {
  readonly request: ImportRequest;
  readonly credentials: BucketCredentials | null;
}

/** Throws if the path, or the credentials that belong to it, are invalid. */
export function parseImportRequest(
  partnerId: number,
  body: Static<typeof QueueImport>,
  partnerBuckets: PartnerBuckets,
): ParsedImport {
  const { file_path: filePath } = body;
  const request = {
    filePath,
    keyType: body.key_type,
    pathType: body.path_type ?? pathType.sharedBucket,
    compressed: body.compressed ?? null,
    mode: body.mode ?? 'merge',
    dryRun: body.dry_run ?? false,
    etag: null,
  };
  return {
    request,
    credentials: parseSource(partnerId, request, body.credentials, partnerBuckets),
  };
}

/** The credentials of a place. Null: it is in the shared bucket. */
export function parseSource(
  partnerId: number,
  { filePath, pathType: type }: Pick<ImportRequest, 'filePath' | 'pathType'>,
  credentials: Static<typeof BucketCredentialsSchema> | undefined,
  partnerBuckets: PartnerBuckets,
): BucketCredentials | null {
  if (type === pathType.sharedBucket) {
    checkSharedBucket(partnerId, filePath, credentials !== undefined);
    return null;
  }
  if (!credentials) {
    throw invalidInput('/credentials', 'credentials are required with path_type 1.');
  }
  const parsed = parseBucketCredentials(credentials, partnerBuckets);
  const path = partnerBucketPath(filePath);
  if (path instanceof TributaryError) throw path;
  return parsed;
}

function checkSharedBucket(partnerId: number, filePath: string, hasCredentials: boolean): void {
  if (hasCredentials) {
    throw invalidInput(
      '/credentials',
      'credentials are allowed only with path_type 1. Leave them out.',
    );
  }
  const key = sharedBucketKey(partnerPrefix(partnerId), filePath);
  if (key instanceof TributaryError) throw key;
}
