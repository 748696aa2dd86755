import { type Static, Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { operatorRoute } from '../operator/operator-route.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';
import { CallSchema, CycleSchema, callOnTheWire, cycleOnTheWire } from './cycle-wire.ts';

const path = '/admin/v1/privacy/drop';
const listedCalls = 20;

const StatusSchema = Type.Object({
  accessed_at: Nullable(Timestamp, {
    description: 'When DROP last delivered what it had. Null if it never did.',
  }),
  is_automatic: Type.Boolean({
    description: 'Whether the workers have an API key. If not, nothing calls DROP.',
  }),
  next_session_at: Nullable(Timestamp, {
    description: 'When the next download is due. Null if nothing calls DROP.',
  }),
  next_call_at: Nullable(Timestamp, {
    description: 'DROP is not called before this time, except on request.',
  }),
  is_requested: Type.Boolean({
    description: 'The operator asked for a session, which is not over.',
  }),
  problem: Nullable(Type.String(), { description: 'Why the last call failed.' }),
  problem_since: Nullable(Timestamp),
  open_cycles: Type.Array(CycleSchema, { description: 'Cycles that are not complete.' }),
  open_amendments: Type.Array(
    Type.Object({ cycle_id: Id('The cycle that it amends.'), name: Type.String() }),
    { description: 'Amendments of manual cycles, to be uploaded in the portal.' },
  ),
  calls: Type.Array(CallSchema, { description: "The latest calls of DROP's API, newest first." }),
});

export function registerDropStatus(app: App, records: Records, auth: Auth): void {
  const { dropCycles, dropFiles, dropSchedule } = records;

  app.get(
    path,
    operatorRoute(auth, {
      operationId: 'getDropStatus',
      summary: 'Status of DROP',
      description: "When California's deletion lists were fetched, what is open, and what is next.",
      response: { 200: StatusSchema },
    }),
    status,
  );

  app.post(
    `${path}/sync`,
    operatorRoute(auth, {
      operationId: 'syncDrop',
      summary: 'Call DROP now',
      description:
        'A worker sends what is ready, also files that DROP has rejected, and downloads new lists. Needs `TRIBUTARY_DROP_API_KEY` in the workers.',
      response: { 202: StatusSchema },
    }),
    async (request, reply) => {
      await records.inTransaction(async (tx) => {
        await tx.dropFiles.retryRejected();
        await tx.dropSchedule.request();
      });
      noteChange(request, { after: { is_requested: true } });
      return reply.code(202).send(await status());
    },
  );

  async function status(): Promise<Static<typeof StatusSchema>> {
    const schedule = await dropSchedule.read();
    return {
      accessed_at: schedule?.accessedAt?.toISOString() ?? null,
      is_automatic: schedule?.isAutomatic ?? false,
      next_session_at: schedule?.isAutomatic ? schedule.sessionAt.toISOString() : null,
      next_call_at: schedule?.isAutomatic ? schedule.callAt.toISOString() : null,
      is_requested: schedule?.isRequested ?? false,
      problem: schedule?.problem ?? null,
      problem_since: schedule?.problemAt?.toISOString() ?? null,
      open_cycles: (await dropCycles.unsettled()).map(cycleOnTheWire),
      open_amendments: (await dropFiles.openAmendments('manual')).map(({ cycleId, name }) => ({
        cycle_id: cycleId,
        name,
      })),
      calls: (await dropFiles.latestCalls(listedCalls)).map(callOnTheWire),
    };
  }
}
