import type { FastifyRequest, FastifySchema } from 'fastify';
import { type TObject, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { BucketCredentials } from '../../records/marketplace/import-logs.ts';
import type { Records } from '../../records/records.ts';
import { watchFileStates } from '../../records/watches/watch-files.ts';
import type { NewWatch, Watch, WatchScope } from '../../records/watches/watches.ts';
import { watchOnTheWire } from '../../wire/watch.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { found, parseId } from '../server/wire.ts';
import {
  auditedWatch,
  changedSettings,
  type WatchChange,
  WatchFileSchema,
  WatchSchema,
  watchFileOnTheWire,
} from './watch-wire.ts';

interface WatchOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

/** Watches that import files, or that append them to an audience. */
export interface WatchKind {
  /** The path of the list. */
  readonly path: string;
  /** In operation ids: `Watch` or `AudienceWatch`. */
  readonly name: string;
  readonly listParams: TObject | undefined;
  readonly params: TObject;
  readonly newBody: TObject;
  readonly changeBody: TObject;
  /** What a new watch does. */
  readonly description: string;
  route<S extends FastifySchema & WatchOperation>(schema: S): { schema: S };
  /** Whose watches the request concerns. Throws if there is no such audience. */
  scopeOf(records: Records, request: FastifyRequest): Promise<WatchScope>;
  parseNew(
    request: FastifyRequest,
    scope: WatchScope,
  ): { readonly watch: NewWatch; readonly credentials: BucketCredentials | null };
  /** New credentials of a watch, if the change has any. */
  parseCredentials(request: FastifyRequest, watch: Watch): BucketCredentials | null;
}

const byDefault = limits.pageRecords.most;
const ListQuery = Type.Object(pageQuery({ records: 'watches', id: 'watch_id', byDefault }), {
  additionalProperties: false,
});
const FilesQuery = Type.Object(
  {
    ...pageQuery({ records: 'files', id: 'file_id', byDefault: 100 }),
    state: Type.Optional(
      Type.Enum([...watchFileStates], {
        description: 'Only files in this state. Without it, all but hidden files.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerWatchRoutes(
  app: App,
  kind: WatchKind,
  records: Records,
  write: Write,
  sendList: SendList,
): void {
  const one = `${kind.path}/:watch_id`;
  const ofList = kind.listParams ? { params: kind.listParams } : {};

  app.post(
    kind.path,
    kind.route({
      operationId: `create${kind.name}`,
      summary: 'Create a watch',
      description: kind.description,
      ...ofList,
      headers: WriteHeaders,
      body: kind.newBody,
      response: { 201: WatchSchema },
    }),
    async (request, reply) => {
      const scope = await kind.scopeOf(records, request);
      const { watch, credentials } = kind.parseNew(request, scope);
      return write(request, reply, async (tx) => {
        const watchId = await tx.watches.create(watch);
        if (credentials) await tx.watches.setCredentials(watchId, credentials);
        const created = found(await tx.watches.find(scope, watchId), 'watch');
        return {
          status: 201,
          location: `${request.url.split('?')[0]}/${watchId}`,
          body: watchOnTheWire(created),
          change: { after: auditedWatch(created) },
        };
      });
    },
  );

  app.get(
    kind.path,
    {
      ...kind.route({
        operationId: `list${kind.name}es`,
        summary: 'List watches',
        description: 'Returns the watches, ordered by watch_id.',
        ...ofList,
        querystring: ListQuery,
        response: { 200: Type.Array(WatchSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const scope = await kind.scopeOf(records, request);
      return sendList(request, reply, {
        read: (page) => records.watches.list(scope, page),
        row: watchOnTheWire,
        key: ({ watchId }) => watchId,
        byDefault,
      });
    },
  );

  app.get(
    one,
    kind.route({
      operationId: `get${kind.name}`,
      summary: 'Get a watch',
      description: 'Returns the watch, with counts of its files.',
      params: kind.params,
      response: { 200: WatchSchema },
    }),
    async (request) => watchOnTheWire((await existing(request)).watch),
  );

  app.get(
    `${one}/files`,
    {
      ...kind.route({
        operationId: `list${kind.name}Files`,
        summary: 'List the files of a watch',
        description: `Returns the versions of files that the watch has found, the latest first, and how they were loaded. A version whose file was deleted or replaced is listed for ${limits.watchLedgerDays.most} more days.`,
        params: kind.params,
        querystring: FilesQuery,
        response: { 200: Type.Array(WatchFileSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { watchId } = (await existing(request)).watch;
      const { state } = request.query as { state?: (typeof watchFileStates)[number] };
      return sendList(request, reply, {
        read: (page) => records.watchFiles.list(watchId, page, state),
        row: watchFileOnTheWire,
        key: ({ fileId }) => fileId,
        byDefault: 100,
      });
    },
  );

  app.patch(
    one,
    kind.route({
      operationId: `change${kind.name}`,
      summary: 'Change a watch',
      description:
        'Send at least one field. Fields that you leave out keep their values. The watch remembers which files it has loaded. Jobs that are already in the queue keep the old settings.',
      params: kind.params,
      headers: WriteHeaders,
      body: kind.changeBody,
      response: { 200: WatchSchema },
    }),
    async (request, reply) => {
      const { scope, watch: before } = await existing(request);
      const { watchId } = before;
      const body = request.body as WatchChange;
      const credentials = kind.parseCredentials(request, before);
      return write(request, reply, async (tx) => {
        await tx.watches.change(watchId, changedSettings(before, body));
        if (credentials) await tx.watches.setCredentials(watchId, credentials);
        if (body.retry_failed) await tx.watchFiles.retryFailed(watchId);
        if (body.state === 'paused') await tx.watches.pause(watchId, null);
        if (body.state === 'active') await tx.watches.resume(watchId);
        const after = found(await tx.watches.find(scope, watchId), 'watch');
        return {
          status: 200,
          location: null,
          body: watchOnTheWire(after),
          change: { before: auditedWatch(before), after: auditedWatch(after) },
        };
      });
    },
  );

  app.delete(
    one,
    kind.route({
      operationId: `remove${kind.name}`,
      summary: 'Remove a watch',
      description:
        'No more files are queued. Jobs that are already in the queue still run. The credentials of the watch are deleted. A new watch of the same path loads all files again, unless it skips existing files.',
      params: kind.params,
      headers: WriteHeaders,
      response: { 204: Type.Null({ description: 'Removed.' }) },
    }),
    async (request, reply) => {
      const { watch } = await existing(request);
      return write(request, reply, async (tx) => {
        await tx.watches.remove(watch.watchId);
        const change = { before: auditedWatch(watch) };
        return { status: 204, location: null, body: null, change };
      });
    },
  );

  app.post(
    `${one}/poll`,
    kind.route({
      operationId: `poll${kind.name}`,
      summary: 'List the files of a watch now',
      description: `Lists the files without waiting for the next scheduled listing, but not sooner than ${limits.watchPollSeconds.most} seconds after the last one. Call it when your bucket sends a notification, for example. A paused watch lists its files when it is resumed.`,
      params: kind.params,
      headers: WriteHeaders,
      response: { 204: Type.Null({ description: 'The files are listed shortly.' }) },
    }),
    async (request, reply) => {
      const { watch } = await existing(request);
      return write(request, reply, async (tx) => {
        await tx.watches.pollNow(watch.watchId);
        return { status: 204, location: null, body: null };
      });
    },
  );

  async function existing(request: FastifyRequest): Promise<{ scope: WatchScope; watch: Watch }> {
    const { watch_id: text } = request.params as { watch_id: string };
    const scope = await kind.scopeOf(records, request);
    const watch = await records.watches.find(scope, parseId(text, 'watch'));
    return { scope, watch: found(watch, 'watch') };
  }
}
