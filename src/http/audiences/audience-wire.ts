import { Type } from 'typebox';
import { statusOf } from '../../domain/job.ts';
import type { Audience, AudienceDetails } from '../../records/audiences/audiences.ts';
import { DisplayName, Id, PathId, Timestamp } from '../server/wire.ts';

/** Audiences as they are put on the wire, and taken from it. */

const status = (words: string) => Type.Integer({ description: words, examples: [2] });

const audienceMembers = {
  audience_id: Id('Assigned by us.'),
  name: Type.String({ examples: ['Summer sale'] }),
  unique_devices: Type.Integer({
    description: 'Distinct devices now in the audience.',
    examples: [1000],
  }),
  default_warehouse_segment_id: Id('Leads to its composition report in the console.'),
  status: status(
    '0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading: a file failed, or the latest load as a whole.',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  uploaded_devices: Type.Integer({
    description: 'Valid rows loaded since the last clear, duplicates included.',
    examples: [1200],
  }),
  matched_devices: Type.Integer({
    description: 'Those of the unique devices that carry an attribute of the marketplace.',
    examples: [800],
  }),
};

export const AudienceSchema = Type.Object(audienceMembers);

const FileSchema = Type.Object({
  s3_path: Type.String({
    description: 'The key, beginning with your prefix.',
    examples: ['partner-1/audience.csv'],
  }),
  status: status('0 = pending; 1 = running; 2 = finished with no errors; 3 = error loading.'),
  rows_uploaded: Type.Integer({
    description: 'Valid rows of its last load that succeeded; 0 if none did.',
    examples: [1200],
  }),
  updated_at: Timestamp,
});

export const AudienceDetailsSchema = Type.Object({
  ...audienceMembers,
  file: Type.Array(FileSchema, {
    description:
      'One entry for each file since the last clear, in the order of their first load. A file enters when the turn of its load has come.',
  }),
});

export const AudiencePath = Type.Object({ audience_id: PathId('As its creation answered.') });

export const FilePath = Type.String({
  minLength: 1,
  description:
    'Relative to your prefix in the shared bucket; the same place may be named with the prefix, or as `s3://<bucket>/<prefix>…`. Names one file; if there is none of exactly that key, every file whose key begins with it. No `..` segments.',
  examples: ['audience.csv'],
});

export const AudienceName = DisplayName('What you call it; need not be unique', 'Summer sale');

export function audienceOnTheWire(audience: Audience) {
  return {
    audience_id: audience.audienceId,
    name: audience.name,
    unique_devices: audience.uniqueDevices,
    default_warehouse_segment_id: audience.segmentId,
    status: statusOf[audience.state],
    created_at: audience.createdAt.toISOString(),
    updated_at: audience.updatedAt.toISOString(),
    uploaded_devices: audience.uploadedDevices,
    matched_devices: audience.matchedDevices,
  };
}

export function audienceDetailsOnTheWire(audience: AudienceDetails) {
  return {
    ...audienceOnTheWire(audience),
    file: audience.files.map((file) => ({
      s3_path: file.s3Path,
      status: statusOf[file.state],
      rows_uploaded: file.rowsUploaded,
      updated_at: file.updatedAt.toISOString(),
    })),
  };
}
