import { Type } from 'typebox';
import { statusOf } from '../../domain/job.ts';
import type { AudienceFile } from '../../records/audiences/audiences.ts';
import { DisplayName, Id, PathId, Timestamp } from '../server/wire.ts';

/** Audiences in requests and responses. */

const status = (description: string) => Type.Integer({ description, examples: [2] });

const audienceMembers = {
  audience_id: Id('Assigned by the service.'),
  name: Type.String({ examples: ['Summer sale'] }),
  unique_devices: Type.Integer({
    description: 'Distinct devices in the audience now.',
    examples: [1000],
  }),
  default_warehouse_segment_id: Id(
    'Identifies the composition report in the console: `/console/segments/<id>`.',
  ),
  status: status(
    '0 = pending, 1 = running, 2 = finished without errors, 3 = error: a file failed, or the latest load failed as a whole.',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  uploaded_devices: Type.Integer({
    description: 'Valid rows loaded since the last clear, including duplicates.',
    examples: [1200],
  }),
  matched_devices: Type.Integer({
    description:
      'The unique devices that have an attribute of the marketplace. If reports are protected, the number of the last report, with its noise; 0 below the suppression threshold, and before the first report.',
    examples: [800],
  }),
};

export const AudienceSchema = Type.Object(audienceMembers);

const FileSchema = Type.Object({
  s3_path: Type.String({
    description: 'The key with your prefix.',
    examples: ['partner-1/audience.csv'],
  }),
  status: status('0 = pending, 1 = running, 2 = finished without errors, 3 = error.'),
  rows_uploaded: Type.Integer({
    description: 'Valid rows of the last successful load of the file. 0 if there is none.',
    examples: [1200],
  }),
  updated_at: Timestamp,
});

/** Also the members of the response, in this order. */
export const AudienceDetailsSchema = Type.Object({
  ...audienceMembers,
  file: Type.Array(FileSchema, {
    description:
      'The files since the last clear, in the order of their first load. A file is listed when its load begins.',
  }),
});

export const AudiencePath = Type.Object({ audience_id: PathId('The id of the audience.') });

export const FilePath = Type.String({
  minLength: 1,
  description:
    'A path relative to your prefix in the shared bucket. You can also include the prefix, or send `s3://<bucket>/<prefix>…`. If no file has exactly this key, every file whose key begins with it is loaded. `..` segments are not allowed.',
  examples: ['audience.csv'],
});

export const AudienceName = DisplayName('Name of the audience; need not be unique', 'Summer sale');

export function fileOnTheWire(file: AudienceFile) {
  return {
    s3_path: file.s3Path,
    status: statusOf[file.state],
    rows_uploaded: file.rowsUploaded,
    updated_at: file.updatedAt.toISOString(),
  };
}
