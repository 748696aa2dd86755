import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { Id, Nullable, PathId, Timestamp } from '../server/wire.ts';

/** Import logs in responses. */

const Count = (description: string) =>
  Type.String({ pattern: '^[0-9]+$', description, examples: ['1200'] });

export const ImportErrorSchema = Type.Object({
  code: Type.String({ examples: ['malformed_id'] }),
  message: Type.String(),
  file: Nullable(Type.String(), {
    description: 'The key of the file with your prefix, or `s3://…` for a file in your own bucket.',
  }),
  line: Nullable(Type.Integer(), { description: 'Line of the first occurrence, starting at 1.' }),
  column: Nullable(Type.Integer(), { description: 'Column of the cell, starting at 1.' }),
  value: Nullable(Type.String(), { description: 'The invalid cell, truncated to 256 characters.' }),
  count: Type.Integer({ description: 'Number of occurrences in the file.' }),
});

export const ImportLogSchema = Type.Object({
  import_log_id: Id('The id of the job.'),
  file_path: Type.String({
    description: 'The path as submitted. Empty for a deletion.',
    examples: ['devices.csv'],
  }),
  path_type: Type.Integer({
    description: '0 = shared bucket, 1 = your own bucket.',
    examples: [0],
  }),
  key_type: Type.Integer({ description: '0 = attribute_id, 1 = partner_foreign_key.' }),
  status: Type.Integer({
    description:
      '0 = pending, 1 = importing, 2 = done, 3 = error. After an error nothing was applied.',
    examples: [2],
  }),
  log_type: Type.Integer({
    description:
      '0 = import, 1 = deletion of attribute data, 2 = dry run, 3 = devices that the operator had to remove, because their owners asked for it.',
    examples: [0],
  }),
  keys: Nullable(Type.Array(Type.String()), {
    description: 'For a deletion, the keys as sent. Otherwise null.',
    examples: [null],
  }),
  unique_devices: Count(
    'Distinct devices in the accepted rows. For a deletion, distinct devices that lost an attribute. For log_type 3, the most that one attribute or audience lost. "0" until the job ends.',
  ),
  total_rows: Count(
    'Data rows read, including rejected rows. For a deletion, the deleted pairs of device and attribute; for log_type 3, of device and attribute or audience. "0" until the job ends.',
  ),
  errors: Nullable(Type.Array(ImportErrorSchema, { maxItems: limits.problemsPerLog.most }), {
    description:
      'Null, or one entry per kind of problem and file, the one that failed the import first. Also lists rejected rows of a successful import.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ImportLogPath = Type.Object({
  import_log_id: PathId('The id returned when the job was queued.'),
});

/** The response of every operation that queues a job. */
export const QueuedSchema = Type.Object(
  { import_log_id: Id('The id of the job. Follow the job with Get import log.') },
  {
    description: 'The job is queued.',
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
