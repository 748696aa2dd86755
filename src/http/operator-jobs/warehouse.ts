import { type Static, Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import {
  type ClickhouseAddress,
  describeClickhouse,
  isSameWarehouse,
  usedWarehouse,
  type WarehouseAddress,
} from '../../domain/warehouse/address.ts';
import type { Records } from '../../records/records.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

const path = '/admin/v1/warehouse';

/** What the settings say about the warehouse. */
export interface WarehouseSettings {
  readonly setting: WarehouseAddress;
  /** The data dir, for run files. */
  readonly folder: string;
  /** Undefined if the text is not a valid TRIBUTARY_WAREHOUSE. */
  parse(text: string): ClickhouseAddress | undefined;
}

const WarehouseSchema = Type.Object({
  place: Nullable(Type.String(), {
    description: 'Where the device sets are. Null before the first start of a worker.',
    examples: ['ClickHouse at ch1.example.com:8123, cluster main, database tributary'],
  }),
  old_place: Nullable(Type.String(), {
    description: 'Where the device sets were before the last move, until that place is deleted.',
  }),
  copy: Nullable(
    Type.Object({
      copy_id: Id('The copy.'),
      to: Type.String({ description: 'The new place.' }),
      state: Type.Enum(['copying', 'done', 'aborting', 'aborted', 'forgetting', 'forgotten'], {
        description:
          '`done`: all processes use the new place. `forgotten`: the old place is deleted. `aborted`: the new place is deleted. With `force`, neither is deleted.',
      }),
      requested_at: Timestamp,
      ended_at: Nullable(Timestamp),
      runs_copied: Type.Integer(),
      runs_total: Type.Integer({ description: 'Changes while loads run.' }),
      devices_copied: Type.Integer(),
      devices_total: Type.Integer(),
      compared_segments: Nullable(Type.Integer(), {
        description: 'Random segments that were read from both places and found equal.',
      }),
      compared_devices: Nullable(Type.Integer()),
      problem: Nullable(Type.String(), {
        description: 'Why the copy does not continue. A worker retries every few seconds.',
      }),
    }),
    { description: 'The latest copy.' },
  ),
});

const WarehouseAction = Type.Object(
  {
    action: Type.Union([Type.Literal('copy'), Type.Literal('abort'), Type.Literal('forget')], {
      description:
        '`copy`: copy the device sets to another place and use them there. `abort`: stop the copy and delete what it has written. `forget`: delete the old place.',
    }),
    to: Type.Optional(
      Type.String({
        maxLength: 2_048,
        description:
          'For `copy`: the new place, as a value of `TRIBUTARY_WAREHOUSE`, or `files` for run files in the data dir.',
        examples: ['clickhouse://tributary:secret@ch1.example.com:8123/tributary?cluster=main'],
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'For `abort` and `forget`: delete nothing. Use it if the place no longer exists, or if you delete it yourself.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerAdminWarehouse(
  app: App,
  records: Records,
  auth: Auth,
  settings: WarehouseSettings,
): void {
  const { warehouseCopies } = records;

  app.get(
    path,
    operatorRoute(auth, {
      operationId: 'getWarehouse',
      summary: 'Where the device sets are',
      description: 'The place of the device sets, and the latest copy to another one.',
      response: { 200: WarehouseSchema },
    }),
    () => warehouse(),
  );

  app.post(
    path,
    operatorRoute(auth, {
      operationId: 'moveWarehouse',
      summary: 'Move the device sets',
      description:
        'A worker copies all device sets to another place while the service runs. Then all processes use the new place, without a restart. The old place stays until `forget`.',
      body: WarehouseAction,
      response: { 202: WarehouseSchema },
    }),
    async (request, reply) => {
      const { action, to, force = false } = request.body;
      if (action === 'copy') await requestCopy(to);
      else if (to !== undefined)
        throw invalidInput('/to', `Leave out "to": the action ${action} takes no place.`);
      else if (action === 'abort') await end('copying', 'aborting', 'aborted', force);
      else await end('done', 'forgetting', 'forgotten', force);
      return reply.code(202).send(await warehouse());
    },
  );

  async function requestCopy(text: string | undefined): Promise<void> {
    const target = text === 'files' ? null : settings.parse(text ?? '');
    if (target === undefined) {
      throw invalidInput(
        '/to',
        'Name the new place: files, or clickhouse://user:password@host:8123/database, with ?cluster=name for a cluster.',
      );
    }
    const place = await warehouseCopies.place();
    if (isSameWarehouse(target, usedWarehouse(settings.setting, place))) {
      throw invalidInput('/to', 'The device sets are already in this place.');
    }
    const copy = await warehouseCopies.request({
      kind: target ? 'clickhouse' : 'folder',
      address: target ? describeClickhouse(target) : settings.folder,
      clickhouse: target,
    });
    if (copy) return;
    const open = await warehouseCopies.latest();
    throw invalidInput(
      '/action',
      open?.state === 'done' || open?.state === 'forgetting'
        ? `The old place ${open.from?.address} is not deleted yet. Delete it with the action forget first.`
        : 'Another copy is in progress. Wait for it, or abort it.',
    );
  }

  /** Lets a worker delete the place. With `force`, nothing is deleted. */
  async function end(
    before: 'copying' | 'done',
    during: 'aborting' | 'forgetting',
    after: 'aborted' | 'forgotten',
    force: boolean,
  ): Promise<void> {
    const copy = await warehouseCopies.latest();
    if (copy && force && (copy.state === before || copy.state === during)) {
      const isMoved = await warehouseCopies.move(copy.copyId, copy.state, after);
      if (!isMoved)
        throw invalidInput(
          '/action',
          'The copy changed at the same moment. Look at its state, and try again.',
        );
      if (after === 'aborted') await warehouseCopies.forgetFiles(copy.copyId);
      return;
    }
    if (copy && (await warehouseCopies.move(copy.copyId, before, during))) return;
    const none =
      before === 'copying'
        ? 'No copy is in progress.'
        : 'There is no old place: the device sets were not moved, or it is already deleted.';
    throw invalidInput(
      '/action',
      copy?.state === during ? 'A worker is already deleting this place.' : none,
    );
  }

  async function warehouse(): Promise<Static<typeof WarehouseSchema>> {
    const [place, copy] = await Promise.all([warehouseCopies.place(), warehouseCopies.latest()]);
    if (!copy) return { place: place?.address ?? null, old_place: null, copy: null };
    const isCopying = copy.state === 'copying';
    const progress = isCopying ? await warehouseCopies.progress() : null;
    const copied = copy.copiedDevices ?? 0;
    const hasOldPlace = copy.state === 'done' || copy.state === 'forgetting';
    return {
      place: place?.address ?? null,
      old_place: hasOldPlace ? (copy.from?.address ?? null) : null,
      copy: {
        copy_id: copy.copyId,
        to: copy.to.address,
        state: copy.state,
        requested_at: copy.requestedAt.toISOString(),
        ended_at: copy.endedAt?.toISOString() ?? null,
        runs_copied: progress?.copiedRuns ?? 0,
        runs_total: progress?.runs ?? 0,
        devices_copied: progress?.copiedDevices ?? copied,
        devices_total: progress?.devices ?? copied,
        compared_segments: copy.comparedSegments,
        compared_devices: copy.comparedDevices,
        problem: copy.problem,
      },
    };
  }
}
