import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Id, Timestamp } from '../server/wire.ts';

const listedCalls = 1_000;
const tags = ['Operator'];
const security = [{ adminToken: [] }];

export function registerAdminStatus(app: App, records: Records, auth: Auth): void {
  app.get(
    '/admin/v1/status',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'getStatus',
        summary: 'Status',
        description: 'What waits, for how long, and what is stored.',
        response: {
          200: Type.Object({
            queue: Type.Array(
              Type.Object({
                partner_id: Id('Whose lane.'),
                name: Type.String(),
                pending: Type.Integer(),
                running: Type.Integer(),
                oldest_submitted_at: Timestamp,
                oldest_age_seconds: Type.Number(),
              }),
              { description: 'The lanes that have jobs waiting or running.' },
            ),
            universe: Type.Object({
              version: Type.Integer({
                description: 'Counts the changes of the universe, and of attributes within it.',
              }),
              backlog: Type.Integer({
                description: 'Runs of attributes, come or gone, that it does not reflect yet.',
              }),
              outdated_audiences: Type.Integer({
                description:
                  'Audiences whose matched devices or composition are of an earlier version, and will be counted again.',
              }),
            }),
            storage: Type.Object({
              objects: Type.Integer({ description: 'Objects in the shared bucket.' }),
              object_bytes: Type.Integer(),
              runs: Type.Integer({ description: 'Runs in the warehouse.' }),
              run_bytes: Type.Integer(),
            }),
          }),
        },
      },
    },
    async () => {
      // In the order that changes take, so that one which moves on meanwhile is counted at its next place.
      const lanes = await records.jobs.depths();
      const universe = await records.universe.state();
      const outdated = await records.compositions.countOutdated();
      const [stored, runs] = await Promise.all([
        records.objectIndex.totals(),
        records.manifest.totals(),
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
        universe: {
          version: universe.version,
          backlog: universe.backlog,
          outdated_audiences: outdated,
        },
        storage: {
          objects: stored.objects,
          object_bytes: stored.bytes,
          runs: runs.runs,
          run_bytes: runs.bytes,
        },
      };
    },
  );

  app.get(
    '/admin/v1/audit',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listAdminCalls',
        summary: 'Audit',
        description: `The last ${listedCalls} calls of the operator interface, newest first, this one included.`,
        response: {
          200: Type.Array(
            Type.Object({
              admin_call_id: Id('The call.'),
              request_id: Type.String(),
              called_at: Timestamp,
              action: Type.String({ examples: ['POST /admin/v1/partners'] }),
              target: Type.String({ description: 'The path that was called.' }),
              remote_address: Type.String(),
              status: Type.Union([Type.Integer(), Type.Null()], {
                description:
                  'Null while it is under way, or if the process died in it; 499 if the client did not wait for its answer.',
              }),
            }),
          ),
        },
      },
    },
    async () => {
      const calls = await records.adminCalls.latest(listedCalls);
      return calls.map((call) => ({
        admin_call_id: call.adminCallId,
        request_id: call.requestId,
        called_at: call.calledAt.toISOString(),
        action: call.action,
        target: call.target,
        remote_address: call.remoteAddress,
        status: call.status,
      }));
    },
  );
}
