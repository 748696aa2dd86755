import { Type } from 'typebox';
import { statusOf } from '../../domain/job.ts';
import type { ImportLog } from '../../records/marketplace/import-logs.ts';
import { Id, Nullable, PathId, Timestamp } from '../server/wire.ts';

/** Import logs as they are put on the wire. */

const Count = (description: string) =>
  Type.String({ pattern: '^[0-9]+$', description, examples: ['1200'] });

export const ImportErrorSchema = Type.Object({
  code: Type.String({ examples: ['malformed_id'] }),
  message: Type.String(),
  file: Nullable(Type.String(), {
    description: 'The key of the file, with your prefix; `s3://…` in a bucket of your own.',
  }),
  line: Nullable(Type.Integer(), { description: 'Of the first occurrence, from 1.' }),
  column: Nullable(Type.Integer(), { description: 'Which cell, from 1.' }),
  value: Nullable(Type.String(), { description: 'The cell at fault, cut at 256 characters.' }),
  count: Type.Integer({ description: 'How often it occurred in the file.' }),
});

export const ImportLogSchema = Type.Object({
  import_log_id: Id('The import job.'),
  file_path: Type.String({
    description: 'As it was submitted; empty for a deletion.',
    examples: ['devices.csv'],
  }),
  path_type: Type.Integer({
    description: '0 = shared bucket, 1 = a bucket of your own.',
    examples: [0],
  }),
  key_type: Type.Integer({ description: '0 = attribute_id, 1 = partner_foreign_key.' }),
  status: Type.Integer({
    description:
      '0 = pending, waits behind earlier jobs; 1 = importing; 2 = done; 3 = error, nothing was applied.',
    examples: [2],
  }),
  log_type: Type.Integer({
    description: '0 = import, 1 = deletion of attribute data, 2 = dry run.',
    examples: [0],
  }),
  keys: Nullable(Type.Array(Type.String()), {
    description: 'For a deletion the keys as they were sent, else null.',
    examples: [null],
  }),
  unique_devices: Count(
    'Distinct devices of the accepted rows; for a deletion those that lost an attribute. "0" until the job ends.',
  ),
  total_rows: Count(
    'Data rows read, rejected ones included; for a deletion the pairs of device and attribute that are gone. "0" until the job ends.',
  ),
  errors: Nullable(Type.Array(ImportErrorSchema, { maxItems: 100 }), {
    description:
      'Null, or one entry per kind of problem and file. Rows dropped from an import that is done are reported here too.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ImportLogPath = Type.Object({
  import_log_id: PathId('As the queued import answered.'),
});

/** The answer to whatever queues a job. */
export const QueuedSchema = Type.Object(
  { import_log_id: Id('Follow it with Get import log.') },
  {
    description: 'Queued.',
    headers: { Location: { type: 'string', description: 'The path of the import log.' } },
  },
);

export function queuedAnswer(importLogId: number) {
  return {
    status: 202,
    location: `/v1/marketplace/import/${importLogId}`,
    body: { import_log_id: importLogId },
  };
}

export function importLogOnTheWire(log: ImportLog) {
  return {
    import_log_id: log.importLogId,
    file_path: log.filePath,
    path_type: log.pathType,
    key_type: log.keyType,
    status: statusOf[log.state],
    log_type: log.logType,
    keys: log.keys,
    unique_devices: String(log.uniqueDevices),
    total_rows: String(log.totalRows),
    errors: log.errors,
    created_at: log.createdAt.toISOString(),
    updated_at: log.updatedAt.toISOString(),
  };
}
