import { type Static, Type } from 'typebox';
import type { DropCycle } from '../../records/privacy/drop-cycles.ts';
import type { DropCall, DropFile } from '../../records/privacy/drop-files.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

const Sha256 = Type.String({ description: 'In hexadecimal.', examples: ['9f86d081884c7d65…'] });

export const CycleSchema = Type.Object({
  cycle_id: Id('The cycle.'),
  kind: Type.Enum(['api', 'manual'], {
    description: "Whether the archive came from DROP's API or from the operator.",
  }),
  state: Type.Enum(
    [
      'downloading',
      'downloaded',
      'suppressed',
      'matched',
      'removed',
      'deleted',
      'answered',
      'lifted',
      'accepted',
      'refused',
    ],
    {
      description:
        'The last step that is complete. `suppressed`: no new load stores the listed devices. `matched`: everything stored was compared with the list. `removed`: what matched is deleted everywhere. `deleted`: its bytes are gone. `answered`: the response is written. `lifted`: withdrawn suppressions are lifted. `accepted`: DROP has the response. `refused`: the archive cannot be used.',
    },
  ),
  problem: Nullable(Type.String(), { description: 'What keeps the cycle from going on.' }),
  archive_name: Type.String({ examples: ['20260312_4821_DROP.zip'] }),
  archive_bytes: Nullable(Type.Integer()),
  archive_sha256: Nullable(Sha256, { description: 'Of the ZIP file as it came.' }),
  items: Type.Integer({ description: 'Rows of the MAID list with an id and a hash.' }),
  malformed_rows: Type.Integer({
    description: 'Rows of the MAID list without a valid id and hash. They are not answered.',
  }),
  repeated_rows: Type.Integer({
    description: 'Rows whose id came before. They are answered once.',
  }),
  removed_rows: Type.Integer({ description: 'Rows of the Removed file, of all lists.' }),
  lifted: Type.Integer({
    description: 'Digests whose suppression DROP no longer asks for, because of these rows.',
  }),
  started_at: Timestamp,
  downloaded_at: Nullable(Timestamp),
  suppressed_at: Nullable(Timestamp),
  matched_at: Nullable(Timestamp),
  removed_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
  answered_at: Nullable(Timestamp),
  lifted_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
});

const ListSchema = Type.Object({
  file: Type.String({ examples: ['20260312_4821_MAID.csv'] }),
  list: Nullable(Type.String(), { examples: ['MAID'] }),
  is_refused: Type.Boolean({
    description: 'True for lists other than MAID. This service stores nothing that they name.',
  }),
  bytes: Type.Integer(),
  sha256: Sha256,
  rows: Type.Integer(),
  malformed_rows: Type.Integer(),
});

const FileSchema = Type.Object({
  name: Type.String({ examples: ['20260312_4821_MAID.csv'] }),
  kind: Type.Enum(['response', 'amendment']),
  state: Type.Enum(['held', 'ready', 'accepted', 'rejected'], {
    description: '`held`: an amendment whose devices are not gone yet.',
  }),
  bytes: Type.Integer(),
  sha256: Sha256,
  deleted: Type.Integer({ description: 'Rows with status 3.' }),
  not_found: Type.Integer({ description: 'Rows with status 5.' }),
  created_at: Timestamp,
  sent_at: Nullable(Timestamp, { description: 'When it was first sent.' }),
  answered_at: Nullable(Timestamp),
  status: Nullable(Type.Integer(), { description: "The HTTP status of DROP's answer." }),
  answer: Nullable(Type.String()),
});

export const CallSchema = Type.Object({
  operation: Type.Enum(['download', 'upload', 'amend']),
  calls: Type.Integer({ description: 'Calls in a row with this outcome.' }),
  first_at: Timestamp,
  last_at: Timestamp,
  status: Nullable(Type.Integer(), { description: 'Null if there was no answer.' }),
  message: Type.String(),
});

export const EvidenceSchema = Type.Object({
  ...CycleSchema.properties,
  suppression_version: Nullable(Type.Integer(), {
    description: 'The version of the suppressions that holds all digests of the list.',
  }),
  deleted: Type.Integer({
    description: 'Items reported with status 3, in the response and in amendments.',
  }),
  not_found: Type.Integer({ description: 'Items reported with status 5 and not amended.' }),
  lists: Type.Array(ListSchema, { description: 'What the archive holds.' }),
  files: Type.Array(FileSchema, { description: 'What DROP gets, and what it answered.' }),
  calls: Type.Array(CallSchema, { description: "Calls of DROP's API, oldest first." }),
});

const text = (time: Date | null) => time?.toISOString() ?? null;

export function cycleOnTheWire(cycle: DropCycle): Static<typeof CycleSchema> {
  return {
    cycle_id: cycle.cycleId,
    kind: cycle.kind,
    state: cycle.state,
    problem: cycle.problem,
    archive_name: cycle.archiveName,
    archive_bytes: cycle.archiveBytes,
    archive_sha256: cycle.archiveSha256?.toString('hex') ?? null,
    items: cycle.itemRows,
    malformed_rows: cycle.malformedRows,
    repeated_rows: cycle.repeatedRows,
    removed_rows: cycle.removedRows,
    lifted: cycle.liftedRows,
    started_at: cycle.startedAt.toISOString(),
    downloaded_at: text(cycle.downloadedAt),
    suppressed_at: text(cycle.suppressedAt),
    matched_at: text(cycle.matchedAt),
    removed_at: text(cycle.removedAt),
    deleted_at: text(cycle.deletedAt),
    answered_at: text(cycle.answeredAt),
    lifted_at: text(cycle.liftedAt),
    ended_at: text(cycle.endedAt),
  };
}

export function callOnTheWire(call: DropCall): Static<typeof CallSchema> {
  return {
    operation: call.operation,
    calls: call.calls,
    first_at: call.firstAt.toISOString(),
    last_at: call.lastAt.toISOString(),
    status: call.status,
    message: call.message,
  };
}

export function evidenceOnTheWire(
  cycle: DropCycle,
  files: readonly DropFile[],
  calls: readonly DropCall[],
): Static<typeof EvidenceSchema> {
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  const reported = files.filter(({ state }) => state !== 'held');
  const amended = sum(reported.filter(({ batch }) => batch > 0).map((file) => file.deletedRows));
  return {
    ...cycleOnTheWire(cycle),
    suppression_version: cycle.version,
    deleted: sum(reported.map((file) => file.deletedRows)),
    not_found: sum(reported.map((file) => file.notFoundRows)) - amended,
    lists: cycle.lists.map(({ file, list, isRefused, bytes, sha256, rows, malformedRows }) => ({
      file,
      list,
      is_refused: isRefused,
      bytes,
      sha256,
      rows,
      malformed_rows: malformedRows,
    })),
    files: files.map((file) => ({
      name: file.name,
      kind: file.batch === 0 ? 'response' : 'amendment',
      state: file.state,
      bytes: file.bytes,
      sha256: file.sha256.toString('hex'),
      deleted: file.deletedRows,
      not_found: file.notFoundRows,
      created_at: file.createdAt.toISOString(),
      sent_at: text(file.sentAt),
      answered_at: text(file.answeredAt),
      status: file.status,
      answer: file.answer,
    })),
    calls: calls.map(callOnTheWire),
  };
}
