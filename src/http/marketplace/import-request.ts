import { type Static, Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { keyType, pathType } from '../../domain/job.ts';
import { isAwsRegion, partnerBucketPath, sharedBucketKey } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { BucketCredentials, ImportRequest } from '../../records/marketplace/import-logs.ts';

/** What a partner asks for when it queues an import, and what is wrong with it beyond its form. */

const Secret = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$' });

export const QueueImport = Type.Object(
  {
    file_path: Type.String({
      minLength: 1,
      description:
        'With path_type 0 relative to your prefix in the shared bucket, with path_type 1 `s3://<bucket>/<path>`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.',
      examples: ['devices.csv'],
    }),
    key_type: Type.Enum([keyType.attributeId, keyType.partnerForeignKey], {
      description: 'What the keys in the file are: 0 = attribute_id, 1 = partner_foreign_key.',
      examples: [1],
    }),
    path_type: Type.Optional(
      Type.Enum([pathType.sharedBucket, pathType.partnerBucket], {
        default: pathType.sharedBucket,
        description: 'Where the file lies: 0 = the shared bucket, 1 = a bucket of your own.',
      }),
    ),
    credentials: Type.Optional(
      Type.Object(
        {
          accessKeyId: Secret(128),
          secretAccessKey: Secret(256),
          region: Type.String({
            maxLength: 63,
            description: 'The region of your bucket, such as `us-east-1`.',
          }),
        },
        {
          additionalProperties: false,
          description:
            'Needed with path_type 1, and only then: what reads your bucket. Kept encrypted, and only until the import ends.',
        },
      ),
    ),
    compressed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the files are gzip. Given, a file that is otherwise fails the import. Left out, the content of each file tells, gzip and zstd alike.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum(['merge', 'replace'], {
        default: 'merge',
        description:
          '`merge` adds to the attributes and removes from them row by row. `replace` makes every attribute that occurs in the import hold exactly its devices, all in one moment; a row that removes then fails the import.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Reads and checks everything in its turn, and reports counts and errors in the log, but applies nothing.',
      }),
    ),
  },
  { additionalProperties: false },
);

export interface ParsedImport {
  readonly request: ImportRequest;
  readonly credentials: BucketCredentials | null;
}

/** The import that a body asks for. Throws if its path, or what goes with it, cannot be right. */
export function parseImportRequest(
  partnerId: number,
  body: Static<typeof QueueImport>,
  partnerRegions: readonly string[],
): ParsedImport {
  const { file_path: filePath, credentials = null } = body;
  const request = {
    filePath,
    keyType: body.key_type,
    pathType: body.path_type ?? pathType.sharedBucket,
    compressed: body.compressed ?? null,
    mode: body.mode ?? 'merge',
    dryRun: body.dry_run ?? false,
  };
  if (request.pathType === pathType.partnerBucket) {
    checkPartnerBucket(filePath, credentials, partnerRegions);
  } else {
    checkSharedBucket(partnerId, filePath, credentials);
  }
  return { request, credentials };
}

function checkPartnerBucket(
  filePath: string,
  credentials: BucketCredentials | null,
  partnerRegions: readonly string[],
): void {
  if (!credentials) {
    throw invalidInput('/credentials', 'credentials are needed to read a bucket of your own.');
  }
  // The region becomes part of a host name: none that is not known may pass.
  if (!isAwsRegion(credentials.region) && !partnerRegions.includes(credentials.region)) {
    throw invalidInput(
      '/credentials/region',
      `There is no region ${JSON.stringify(credentials.region)}: send one such as us-east-1.`,
    );
  }
  const place = partnerBucketPath(filePath);
  if (place instanceof TributaryError) throw place;
}

function checkSharedBucket(
  partnerId: number,
  filePath: string,
  credentials: BucketCredentials | null,
): void {
  if (credentials) {
    throw invalidInput('/credentials', 'credentials go with path_type 1 only: leave them out.');
  }
  const key = sharedBucketKey(partnerPrefix(partnerId), filePath);
  if (key instanceof TributaryError) throw key;
}
