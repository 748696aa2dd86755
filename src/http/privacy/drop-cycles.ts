import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { archiveKey, createArchiveStore, newFolder } from '../../drop/archive-store.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { DropCycle } from '../../records/privacy/drop-cycles.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { withStreamedBodies } from '../server/body-parsers.ts';
import { found, notFound, PathId, parseId } from '../server/wire.ts';
import { CycleSchema, cycleOnTheWire, EvidenceSchema, evidenceOnTheWire } from './cycle-wire.ts';

const path = '/admin/v1/privacy/cycles';
const byDefault = 100;
/** How long the removal of a second copy of an archive may take. */
const removalMs = 60_000;
const CycleParams = Type.Object({ cycle_id: PathId('The cycle.') });

interface CycleDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly auth: Auth;
  readonly sendList: SendList;
}

/** The cycles of DROP: what came, what was done, what was answered. */
export async function registerDropCycles(
  app: App,
  { records, objects, auth, sendList }: CycleDependencies,
): Promise<void> {
  const { dropCycles, dropFiles, dropSchedule } = records;
  const store = createArchiveStore(objects);

  app.get(
    path,
    {
      ...operatorRoute(auth, {
        operationId: 'listDropCycles',
        summary: 'List cycles of DROP',
        description: "One for each archive of California's deletion lists, newest first.",
        querystring: Type.Object(pageQuery({ records: 'cycles', id: 'cycle_id', byDefault }), {
          additionalProperties: false,
        }),
        response: { 200: Type.Array(CycleSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: ({ limit, after }) => dropCycles.list(limit, after),
        row: cycleOnTheWire,
        key: ({ cycleId }) => cycleId,
        byDefault,
      }),
  );

  app.get(
    `${path}/:cycle_id`,
    operatorRoute(auth, {
      operationId: 'getDropCycle',
      summary: 'Evidence of a cycle of DROP',
      description:
        'What came and when, hashes of the files, counts of each status, what was sent and what DROP answered.',
      params: CycleParams,
      response: { 200: EvidenceSchema },
    }),
    async (request) => evidenceOf(await existing(request.params.cycle_id)),
  );

  app.get(
    `${path}/:cycle_id/files/:name`,
    operatorRoute(auth, {
      operationId: 'getDropFile',
      summary: 'Download a file of a cycle of DROP',
      description: 'A response or amendment by its name, or the ZIP file as it came.',
      params: Type.Object({
        ...CycleParams.properties,
        name: Type.String({ examples: ['20260312_4821_MAID.csv'] }),
      }),
      response: {
        200: {
          description: 'The file.',
          content: {
            'text/csv': {
              schema: Type.Unsafe<Readable>({
                type: 'string',
                description: 'With the header `Id,Status`.',
                examples: ['Id,Status\naB3dE6gH9jK2,5\n'],
              }),
            },
            'application/zip': { schema: Type.Unsafe<Readable>({ type: 'string' }) },
          },
        },
      },
    }),
    async (request, reply) => {
      const { name } = request.params;
      const cycle = await existing(request.params.cycle_id);
      const file = (await dropFiles.ofCycle(cycle.cycleId)).find(
        (each) => each.name === name && each.state !== 'held',
      );
      const isArchive = name === cycle.archiveName;
      if (!file && !isArchive) throw notFound('file');
      const source = await store.open(file?.objectKey ?? archiveKey(cycle.folder));
      reply
        .type(file ? 'text/csv' : 'application/zip')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('content-length', source.size);
      return Readable.from(copies(source.read(0)));
    },
  );

  app.post(
    `${path}/:cycle_id/close`,
    operatorRoute(auth, {
      operationId: 'closeDropCycle',
      summary: 'Close a cycle of DROP',
      description:
        'For responses and amendments that the operator uploaded in the portal, and for archives that cannot be used and are settled with DROP. A cycle that is not answered yet cannot be closed.',
      params: CycleParams,
      response: { 200: EvidenceSchema },
    }),
    async (request) => {
      const cycle = await existing(request.params.cycle_id);
      const closed = await records.inTransaction((tx) => close(tx, cycle));
      noteChange(request, { after: { cycle_id: cycle.cycleId, state: closed.state } });
      return evidenceOf(closed);
    },
  );

  await withStreamedBodies(app, (scope) => {
    scope.put(
      '/admin/v1/privacy/archives/:name',
      {
        ...operatorRoute(auth, {
          operationId: 'putDropArchive',
          summary: 'Process an archive of DROP',
          description:
            'The body is a ZIP file that was downloaded in the portal of DROP. A worker processes it; its responses are then files of the cycle, to be uploaded in the portal. The same archive makes one cycle only.',
          consumes: ['application/octet-stream'],
          params: Type.Object({
            name: Type.String({
              pattern: '^[\\w. ()-]{1,255}$',
              description: 'The name of the ZIP file.',
              examples: ['20260312_4821_DROP.zip'],
            }),
          }),
          response: { 202: CycleSchema },
        }),
        config: { takesLongBodies: true },
      },
      async (request, reply) => {
        const { name } = request.params;
        const folder = newFolder();
        const stored = await store.put(archiveKey(folder), request.raw);
        const { cycleId, isNew } = await dropCycles.addManual(folder, name, stored);
        if (isNew) await dropSchedule.recordAccess();
        else await objects.removeAll(folder, AbortSignal.timeout(removalMs));
        noteChange(request, { after: { cycle_id: cycleId, archive: name } });
        const cycle = found(await dropCycles.find(cycleId), 'cycle');
        return reply.code(202).send(cycleOnTheWire(cycle));
      },
    );
  });

  async function existing(id: string): Promise<DropCycle> {
    return found(await dropCycles.find(parseId(id, 'cycle')), 'cycle');
  }

  async function evidenceOf(cycle: DropCycle) {
    const files = await dropFiles.ofCycle(cycle.cycleId);
    const calls = await dropFiles.callsOf(cycle.cycleId);
    return evidenceOnTheWire(cycle, files, calls);
  }
}

const byHand = 'Closed by the operator';

async function close(tx: Records, { cycleId, state }: DropCycle): Promise<DropCycle> {
  if (state !== 'lifted' && state !== 'refused' && state !== 'accepted') {
    throw invalidInput(
      'cycle_id',
      `The cycle is in the state ${state}: it can be closed once it is lifted or refused.`,
    );
  }
  if (state !== 'accepted') await tx.dropCycles.recordStep(cycleId, state, 'accepted');
  await tx.dropFiles.acceptAll(cycleId, byHand);
  return found(await tx.dropCycles.find(cycleId), 'cycle');
}

/** The store uses the memory of a chunk again, but the response is sent later. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
