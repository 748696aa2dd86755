import { type Static, Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import type { BackupEntry } from '../../records/database/backups.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const path = '/admin/v1/backups';
const listedEntries = 100;

export const BackupSchema = Type.Object({
  backup_id: Id('The entry.'),
  action: Type.Union([Type.Literal('create'), Type.Literal('verify'), Type.Literal('remove')]),
  target: Type.String({
    description: 'The folder or bucket.',
    examples: ['s3://backups/tributary'],
  }),
  set: Nullable(Type.String(), {
    description: 'The set. Null for all sets, or before the set has a name.',
    examples: ['20260131T120000000Z-4f2a90'],
  }),
  state: Type.Union([
    Type.Literal('pending'),
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
  ]),
  requested_at: Timestamp,
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  bytes_done: Type.Integer({ description: 'Bytes copied or read so far.' }),
  bytes_total: Type.Integer({ description: 'All bytes to copy or read. 0 until known.' }),
  files: Nullable(Type.Integer()),
  bytes: Nullable(Type.Integer({ description: 'The size of the set, or of what was removed.' })),
  new_bytes: Nullable(Type.Integer({ description: 'Bytes that were not in the target before.' })),
  problem: Nullable(Type.String(), {
    description: 'Why it failed, or what a complete set lacks.',
  }),
});

const BackupRequest = Type.Object(
  {
    action: Type.Optional(
      Type.Union([Type.Literal('create'), Type.Literal('verify'), Type.Literal('remove')], {
        default: 'create',
      }),
    ),
    target: Type.Optional(
      Type.String({
        maxLength: 4_096,
        pattern: '^(/|s3://[^/])[^\\p{Cc}]*$',
        description:
          'A folder of the machine on which the worker runs, as an absolute path, or `s3://bucket/prefix`. Without it, `TRIBUTARY_BACKUP_TARGET`.',
        examples: ['s3://backups/tributary'],
      }),
    ),
    set: Type.Optional(
      Type.String({
        pattern: '^\\d{8}T\\d{9}Z-[0-9a-f]{6}$',
        description: 'The set to verify or to remove. Without it, all sets are verified.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function registerAdminBackups(
  app: App,
  records: Records,
  auth: Auth,
  defaultTarget: string | null,
): void {
  app.get(
    path,
    operatorRoute(auth, {
      operationId: 'listBackups',
      summary: 'List backups',
      description: `The latest ${listedEntries} entries about backups, newest first: sets that were made, verified or removed, by the service or by the command, and what is in progress.`,
      response: { 200: Type.Array(BackupSchema) },
    }),
    async () => (await records.backups.list(listedEntries, null)).map(backupOnTheWire),
  );

  app.get(
    `${path}/:backup_id`,
    operatorRoute(auth, {
      operationId: 'getBackup',
      summary: 'Get a backup',
      description: 'One entry, with its progress.',
      params: Type.Object({ backup_id: PathId('The entry.') }),
      response: { 200: BackupSchema },
    }),
    async (request) => {
      const id = parseId(request.params.backup_id, 'backup');
      return backupOnTheWire(found(await records.backups.find(id), 'backup'));
    },
  );

  app.post(
    path,
    operatorRoute(auth, {
      operationId: 'requestBackup',
      summary: 'Make, verify or remove a backup',
      description:
        'A worker processes the entries one at a time. The entry shows the progress and the outcome.',
      body: BackupRequest,
      response: { 202: BackupSchema },
    }),
    async (request, reply) => {
      const { action = 'create', target = defaultTarget, set = null } = request.body;
      if (target === null) {
        throw invalidInput(
          '/target',
          'Name a target, or set TRIBUTARY_BACKUP_TARGET and restart the service.',
        );
      }
      if (action === 'remove' && set === null)
        throw invalidInput('/set', 'Name the set to remove.');
      if (action === 'create' && set !== null) {
        throw invalidInput('/set', 'Leave out set: the service names a new one.');
      }
      const id = await records.backups.request(action, target, set);
      const entry = found(await records.backups.find(id), 'backup');
      return reply.code(202).send(backupOnTheWire(entry));
    },
  );
}

export function backupOnTheWire(entry: BackupEntry): Static<typeof BackupSchema> {
  return {
    backup_id: entry.backupId,
    action: entry.action,
    target: entry.target,
    set: entry.setName,
    state: entry.state,
    requested_at: entry.requestedAt.toISOString(),
    started_at: entry.startedAt?.toISOString() ?? null,
    ended_at: entry.endedAt?.toISOString() ?? null,
    bytes_done: entry.bytesDone,
    bytes_total: entry.bytesTotal,
    files: entry.files,
    bytes: entry.bytes,
    new_bytes: entry.newBytes,
    problem: entry.problem,
  };
}
