import { type Static, Type } from 'typebox';
import { invalidInput, TributaryError } from '../../domain/errors.ts';
import { keyType, pathType } from '../../domain/job.ts';
import { partnerBucketPath } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import {
  BucketCredentialsSchema,
  type PartnerBuckets,
  parseBucketCredentials,
} from '../marketplace/bucket-credentials.ts';
import { parseSource, QueueImport } from '../marketplace/import-request.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import type { WatchKind } from './watch-routes.ts';
import { NewWatchMembers, newSettings, WatchChangeMembers, WatchIdMember } from './watch-wire.ts';

const { properties: ofImport } = QueueImport;

const NewWatch = Type.Object(
  {
    file_path: Type.String({
      minLength: 1,
      description:
        'Every file whose key begins with it is loaded. With path_type 0: relative to your prefix in the shared bucket. With path_type 1: `s3://<bucket>/<path>`. `..` segments are not allowed.',
      examples: ['daily/'],
    }),
    key_type: ofImport.key_type,
    path_type: ofImport.path_type,
    credentials: ofImport.credentials,
    compressed: ofImport.compressed,
    mode: ofImport.mode,
    ...NewWatchMembers,
  },
  { additionalProperties: false },
);

const ChangeWatch = Type.Object(
  {
    ...WatchChangeMembers,
    key_type: Type.Optional(Type.Enum([keyType.attributeId, keyType.partnerForeignKey])),
    mode: Type.Optional(Type.Enum(['merge', 'replace'])),
    compressed: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    credentials: Type.Optional(BucketCredentialsSchema),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** Watches that import files into attributes. */
export function marketplaceWatches(auth: Auth, partnerBuckets: PartnerBuckets): WatchKind {
  return {
    path: '/v1/marketplace/watch',
    name: 'Watch',
    listParams: undefined,
    params: Type.Object(WatchIdMember),
    newBody: NewWatch,
    changeBody: ChangeWatch,
    description:
      'Imports every file that appears under a path, each as an import of its own, in the order of their last change and key. A version of a file is imported once: it is identified by its key and ETag. Files whose names begin with `_` or `.` are not imported. A file that fails does not stop the others. After several failures in a row, the watch is paused.',
    route: (schema) => partnerRoute(auth, 'Watches', schema),
    async scopeOf(_records, { partnerId }) {
      return { partnerId, audienceId: null };
    },
    parseNew(request, scope) {
      const body = request.body as Static<typeof NewWatch>;
      const place = {
        filePath: body.file_path,
        pathType: body.path_type ?? pathType.sharedBucket,
      };
      const credentials = parseSource(scope.partnerId, place, body.credentials, partnerBuckets);
      return {
        watch: {
          ...scope,
          ...placeOf(scope.partnerId, place),
          keyType: body.key_type,
          mode: body.mode ?? 'merge',
          compressed: body.compressed ?? null,
          ...newSettings(body),
        },
        credentials,
      };
    },
    parseCredentials({ body }, { bucket }) {
      const { credentials } = body as Static<typeof ChangeWatch>;
      if (!credentials) return null;
      if (bucket === null) {
        throw invalidInput('/credentials', 'A watch of the shared bucket has no credentials.');
      }
      return parseBucketCredentials(credentials, partnerBuckets);
    },
  };
}

/** Of a path that was checked. */
function placeOf(partnerId: number, place: { filePath: string; pathType: 0 | 1 }) {
  if (place.pathType === pathType.sharedBucket) {
    return {
      bucket: null,
      keyPrefix: partnerPrefix(partnerId) + place.filePath.replace(/^\//, ''),
    };
  }
  const parsed = partnerBucketPath(place.filePath);
  if (parsed instanceof TributaryError) throw parsed;
  return { bucket: parsed.bucket, keyPrefix: parsed.path };
}
