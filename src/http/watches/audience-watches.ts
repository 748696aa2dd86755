import { type Static, Type } from 'typebox';
import { type AudienceAddress, audienceRoute } from '../audiences/audience-address.ts';
import { fileKey } from '../audiences/audience-creation.ts';
import { loaderScopeOf } from '../audiences/audience-scope.ts';
import { AudiencePath, FilePath } from '../audiences/audience-wire.ts';
import type { Auth } from '../server/auth.ts';
import { found, notFound, parseId } from '../server/wire.ts';
import type { WatchKind } from './watch-routes.ts';
import { NewWatchMembers, newSettings, WatchChangeMembers, WatchIdMember } from './watch-wire.ts';

const NewWatch = Type.Object(
  { file_path: FilePath, ...NewWatchMembers },
  { additionalProperties: false },
);

const ChangeWatch = Type.Object(WatchChangeMembers, {
  additionalProperties: false,
  minProperties: 1,
});

/** Watches that append files of the shared bucket to an audience. */
export function audienceWatches(auth: Auth, address: AudienceAddress, bucket: string): WatchKind {
  return {
    path: `${address.path}/:audience_id/watch`,
    name: 'AudienceWatch',
    listParams: AudiencePath,
    params: Type.Object({ ...AudiencePath.properties, ...WatchIdMember }),
    newBody: NewWatch,
    changeBody: ChangeWatch,
    description:
      'Appends every file that appears under a path of the shared bucket to the audience, each with a load of its own, in the order of their last change and key. A version of a file is appended once: it is identified by its key and ETag. Files whose names begin with `_` or `.` are not appended. A file that fails does not stop the others. After several failures in a row, the watch is paused. If the audience is cleared, files that were appended before are not appended again.',
    route: (schema) => audienceRoute(auth, address, schema),
    async scopeOf(records, request) {
      const { audience_id } = request.params as Static<typeof AudiencePath>;
      const audienceId = parseId(audience_id, 'audience');
      // Users of customers may read audiences, but not how partners load them.
      if (request.partnerId === 0) throw notFound('audience');
      const audience = await records.audiences.find(loaderScopeOf(request), audienceId);
      found(audience, 'audience');
      return { partnerId: request.partnerId, audienceId };
    },
    parseNew(request, scope) {
      const body = request.body as Static<typeof NewWatch>;
      return {
        watch: {
          ...scope,
          bucket: null,
          keyPrefix: fileKey(bucket, scope.partnerId, body.file_path),
          keyType: null,
          mode: null,
          compressed: null,
          ...newSettings(body),
        },
        credentials: null,
      };
    },
    parseCredentials: () => null,
  };
}
