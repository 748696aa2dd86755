import { Type } from 'typebox';
import type { BackupEntry } from '../../records/database/backups.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';
import { BackupSchema, backupOnTheWire } from './backups.ts';
import { operatorRoute } from './operator-route.ts';
import { PendingRemovals, removalTimes } from './removal-wire.ts';

const listedUses = 20;
/** Older failures no longer count as trouble. */
const failureHours = 24;

interface StatusOptions {
  readonly deletionHours: number;
  readonly backupTarget: string | null;
}

export function registerAdminStatus(
  app: App,
  records: Records,
  auth: Auth,
  { deletionHours, backupTarget }: StatusOptions,
): void {
  app.get(
    '/admin/v1/status',
    operatorRoute(auth, {
      operationId: 'getStatus',
      summary: 'Status',
      description:
        'Pending and running jobs, partners with failed jobs, the state of the universe, the version of the schema, the newest backup, and storage totals.',
      response: {
        200: Type.Object({
          queue: Type.Array(
            Type.Object({
              partner_id: Id('The partner whose lane it is.'),
              name: Type.String(),
              pending: Type.Integer(),
              running: Type.Integer(),
              oldest_submitted_at: Timestamp,
              oldest_age_seconds: Type.Number(),
            }),
            { description: 'The lanes that have pending or running jobs.' },
          ),
          failures: Type.Array(
            Type.Object({
              partner_id: Id('The partner.'),
              name: Type.String(),
              failed_jobs: Type.Integer(),
              last_failed_at: Timestamp,
            }),
            {
              description: `The partners whose jobs failed in the last ${failureHours} hours, the latest failure first.`,
            },
          ),
          universe: Type.Object({
            version: Type.Integer({
              description: 'Counts the changes to the universe and to the attributes in it.',
            }),
            backlog: Type.Integer({
              description: 'Added or dropped attribute runs not yet folded into the universe.',
            }),
            outdated_audiences: Type.Integer({
              description:
                'Audiences whose matched devices or composition belong to an earlier version. The service will count them again.',
            }),
            refresh_seconds: Nullable(
              Type.Number({
                description:
                  'About how long the outdated audiences will take, judged by the last ones. Null if none was ever refreshed.',
              }),
            ),
          }),
          removals: PendingRemovals,
          schema: Type.Object({
            version: Type.Integer({ description: "The version of the database's schema." }),
            supported: Type.Integer({
              description:
                'The newest version that this API process supports. If it is lower, restart the process with the newer Tributary. Outdated workers take no jobs.',
            }),
          }),
          backup: Type.Object({
            target: Nullable(Type.String(), {
              description: 'Where the service backs itself up. Null if no target is set.',
            }),
            age_seconds: Nullable(Type.Number(), {
              description: 'Age of the newest backup. Null if there is none.',
            }),
            last_success: Nullable(BackupSchema),
            last_attempt: Nullable(BackupSchema),
          }),
          storage: Type.Object({
            objects: Type.Integer({ description: 'Objects in the shared bucket.' }),
            object_bytes: Type.Integer(),
            runs: Type.Integer({ description: 'Runs in the warehouse.' }),
            run_bytes: Type.Integer(),
            partners: Type.Array(
              Type.Object({
                partner_id: Id('The partner.'),
                name: Type.String(),
                bytes: Type.Integer(),
                quota: Nullable(Type.Integer()),
              }),
              {
                description: `The ${listedUses} partners with the most bytes in the embedded object store, of objects and of parts of open uploads.`,
              },
            ),
          }),
        }),
      },
    }),
    async () => {
      // A change moves from the queue to the universe to the audiences. Reading in this order may count
      // a change twice but never misses one.
      const lanes = await records.jobs.depths();
      const universe = await records.universe.state();
      const outdated = await records.compositions.backlog();
      const [failures, removals, schema, stored, runs, uses, { success, attempt }] =
        await Promise.all([
          records.allJobs.failures(failureHours),
          records.removals.pending(),
          records.schemaVersion(),
          records.objectIndex.totals(),
          records.manifest.totals(),
          records.storageUses.largest(listedUses),
          records.backups.latest(backupTarget),
        ]);
      return {
        queue: lanes.map((lane) => ({
          partner_id: lane.partnerId,
          name: lane.name,
          pending: lane.pending,
          running: lane.running,
          oldest_submitted_at: lane.oldestSubmittedAt.toISOString(),
          oldest_age_seconds: Math.max(0, Date.now() - lane.oldestSubmittedAt.getTime()) / 1000,
        })),
        failures: failures.map(({ partnerId, name, failed, lastFailedAt }) => ({
          partner_id: partnerId,
          name,
          failed_jobs: failed,
          last_failed_at: lastFailedAt.toISOString(),
        })),
        universe: {
          version: universe.version,
          backlog: universe.backlog,
          outdated_audiences: outdated.audiences,
          refresh_seconds: outdated.seconds,
        },
        removals: removals.map(({ kind, id, name, removedAt }) => ({
          kind,
          id,
          name,
          ...removalTimes(removedAt, deletionHours),
        })),
        schema,
        backup: {
          target: backupTarget,
          age_seconds: success ? ageOf(success) : null,
          last_success: success ? backupOnTheWire(success) : null,
          last_attempt: attempt ? backupOnTheWire(attempt) : null,
        },
        storage: {
          objects: stored.objects,
          object_bytes: stored.bytes,
          runs: runs.runs,
          run_bytes: runs.bytes,
          partners: uses.map(({ partnerId, ...use }) => ({ partner_id: partnerId, ...use })),
        },
      };
    },
  );
}

/** A set is a copy of the moment at which its backup began. */
function ageOf({ startedAt }: BackupEntry): number {
  return Math.max(0, Date.now() - (startedAt?.getTime() ?? 0)) / 1000;
}
