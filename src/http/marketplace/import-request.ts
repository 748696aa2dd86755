import { type Static, Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { keyType, pathType } from '../../domain/job.ts';
import { isAwsRegion, partnerBucketPath, sharedBucketKey } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { BucketCredentials, ImportRequest } from '../../records/marketplace/import-logs.ts';

/** The body that queues an import, and the checks that its schema cannot express. */

const Secret = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$' });

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
    credentials: Type.Optional(
      Type.Object(
        {
          accessKeyId: Secret(128),
          secretAccessKey: Secret(256),
          region: Type.String({
            maxLength: 63,
            description: 'The region of your bucket, for example `us-east-1`.',
          }),
        },
        {
          additionalProperties: false,
          description:
            'Required with path_type 1, not allowed otherwise: the credentials that read your bucket. They are stored encrypted and deleted when the import ends.',
        },
      ),
    ),
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
    throw invalidInput('/credentials', 'credentials are required with path_type 1.');
  }
  // The region becomes part of a host name, so only known regions are accepted.
  if (!isAwsRegion(credentials.region) && !partnerRegions.includes(credentials.region)) {
    throw invalidInput(
      '/credentials/region',
      `Unknown region ${JSON.stringify(credentials.region)}. Send the region of your bucket, for example us-east-1.`,
    );
  }
  const path = partnerBucketPath(filePath);
  if (path instanceof TributaryError) throw path;
}

function checkSharedBucket(
  partnerId: number,
  filePath: string,
  credentials: BucketCredentials | null,
): void {
  if (credentials) {
    throw invalidInput(
      '/credentials',
      'credentials are allowed only with path_type 1. Leave them out.',
    );
  }
  const key = sharedBucketKey(partnerPrefix(partnerId), filePath);
  if (key instanceof TributaryError) throw key;
}
