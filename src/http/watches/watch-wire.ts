import { Type } from 'typebox';
import { pathType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import { type WatchFile, watchFileStates } from '../../records/watches/watch-files.ts';
import type { Watch, WatchSettings } from '../../records/watches/watches.ts';
import { watchOnTheWire } from '../../wire/watch.ts';
import { Id, Nullable, PathId, Timestamp } from '../server/wire.ts';

/** Watches in requests and responses. */

const settle = {
  minimum: 0,
  maximum: 86_400,
  description:
    'A file is loaded when it has not changed for this many seconds. An object appears in a bucket as a whole, so 0 is right unless files are replaced soon after their upload.',
  examples: [60],
};

const marker = {
  minLength: 1,
  maxLength: 255,
  pattern: '^[_.][^/\\p{Cc}\\p{Cs}]*$',
  description:
    'Name of a marker file, such as `_SUCCESS`. Files of a folder are loaded when the folder has this file and it is not older than they are. The name must begin with `_` or `.`; such files are never loaded.',
  examples: ['_SUCCESS'],
};

const poll = {
  minimum: limits.watchPollSeconds.most,
  maximum: 86_400,
  description:
    'How often the files are listed, in seconds. A listing costs one request for every 1,000 objects under the path.',
  examples: [300],
};

const defaultPollSeconds = 300;

export const NewWatchMembers = {
  settle_seconds: Type.Optional(Type.Integer({ ...settle, default: 0 })),
  marker: Type.Optional(Type.String(marker)),
  poll_seconds: Type.Optional(Type.Integer({ ...poll, default: defaultPollSeconds })),
  existing_files: Type.Optional(
    Type.Enum(['load', 'skip'], {
      default: 'load',
      description:
        'Whether files that are there when the watch is created are loaded. `skip` leaves out files whose last change is before that, by the clock of the bucket.',
    }),
  ),
};

export const WatchChangeMembers = {
  state: Type.Optional(
    Type.Enum(['active', 'paused'], {
      description: '`paused` stops the watch; `active` resumes it, and lists the files at once.',
    }),
  ),
  settle_seconds: Type.Optional(Type.Integer(settle)),
  marker: Type.Optional(
    Nullable(Type.String(marker), { description: 'Another marker file. Null: no marker.' }),
  ),
  poll_seconds: Type.Optional(Type.Integer(poll)),
  retry_failed: Type.Optional(
    Type.Boolean({
      description:
        'True: failed and cancelled files are loaded again, even if they have not changed.',
      examples: [true],
    }),
  ),
};

/** The settings of a new watch that both kinds have. */
export function newSettings(body: {
  readonly settle_seconds?: number;
  readonly marker?: string | null;
  readonly poll_seconds?: number;
  readonly existing_files?: 'load' | 'skip';
}) {
  return {
    settleSeconds: body.settle_seconds ?? 0,
    marker: body.marker ?? null,
    pollSeconds: body.poll_seconds ?? defaultPollSeconds,
    skipsExisting: body.existing_files === 'skip',
  };
}

export const WatchSchema = Type.Object({
  watch_id: Id('Assigned by the service.'),
  audience_id: Nullable(Id('The audience.'), {
    description: 'The audience to which files are appended. Null: files are imported.',
    examples: [null],
  }),
  file_path: Type.String({
    description: 'Every file whose key begins with it is loaded.',
    examples: ['daily/'],
  }),
  path_type: Type.Enum([pathType.sharedBucket, pathType.partnerBucket], {
    description: '0 = the shared bucket, 1 = your own bucket.',
    examples: [0],
  }),
  key_type: Nullable(Type.Enum([0, 1]), {
    description: 'As in an import. Null for audiences.',
    examples: [1],
  }),
  mode: Nullable(Type.Enum(['merge', 'replace']), {
    description: 'As in an import. Null for audiences.',
    examples: ['merge'],
  }),
  compressed: Nullable(Type.Boolean(), {
    description: 'As in an import. Null: detected from the content.',
    examples: [null],
  }),
  settle_seconds: Type.Integer({ examples: [0] }),
  marker: Nullable(Type.String(), { examples: [null] }),
  poll_seconds: Type.Integer({ examples: [300] }),
  existing_files: Type.Enum(['load', 'skip'], { examples: ['load'] }),
  state: Type.Enum(['active', 'paused'], { examples: ['active'] }),
  paused_reason: Nullable(Type.String(), {
    description: 'Why the service paused the watch. Null if it did not.',
    examples: [null],
  }),
  files_waiting: Type.Integer({ description: 'Files found but not queued yet.', examples: [0] }),
  files_queued: Type.Integer({ description: 'Files whose jobs have not ended.', examples: [1] }),
  files_loaded: Type.Integer({
    description: 'Files loaded since the watch was created.',
    examples: [365],
  }),
  files_failed: Type.Integer({
    description: 'Files failed since the watch was created.',
    examples: [0],
  }),
  poll_error: Nullable(Type.String(), {
    description: 'Why the last listing failed. Null if it did not.',
    examples: [null],
  }),
  listed_at: Nullable(Timestamp, { description: 'When the last complete listing began.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const WatchFileSchema = Type.Object({
  file_id: Id('Grows in the order in which the files were found.'),
  key: Type.String({ examples: ['partner-1/daily/2026-01-31.csv'] }),
  etag: Type.String({ examples: ['d41d8cd98f00b204e9800998ecf8427e'] }),
  size: Type.Integer({ examples: [1024] }),
  modified_at: Timestamp,
  state: Type.Enum([...watchFileStates], {
    description:
      '`waiting`: not queued yet. `queued`: its job has not ended. `loaded`, `failed`: how the job ended. `cancelled`: the audience was cleared meanwhile. `replaced`: the file was replaced or deleted before this version was read. `skipped`: it was there before the watch. `hidden`: its name begins with `_` or `.`.',
    examples: ['loaded'],
  }),
  job_id: Nullable(Id('The job.'), {
    description:
      'The job that loads the file, for imports also its import_log_id. Null if there is none.',
    examples: [1],
  }),
  updated_at: Timestamp,
});

export const WatchIdMember = { watch_id: PathId('The id of the watch.') };

/** What the audit log says of a watch. */
export function auditedWatch(watch: Watch) {
  const shown = watchOnTheWire(watch);
  const { watch_id, audience_id, file_path, key_type, mode, compressed, state } = shown;
  const { settle_seconds, marker: name, poll_seconds } = shown;
  return {
    watch_id,
    audience_id,
    file_path,
    key_type,
    mode,
    compressed,
    settle_seconds,
    marker: name,
    poll_seconds,
    state,
  };
}

export function watchFileOnTheWire(file: WatchFile) {
  return {
    file_id: file.fileId,
    key: file.key,
    etag: file.etag,
    size: file.size,
    modified_at: file.modifiedAt.toISOString(),
    state: file.state,
    job_id: file.jobId,
    updated_at: file.updatedAt.toISOString(),
  };
}

/** The members that a request to change a watch may have. */
export interface WatchChange {
  readonly state?: 'active' | 'paused';
  readonly key_type?: WatchSettings['keyType'];
  readonly mode?: WatchSettings['mode'];
  readonly compressed?: boolean | null;
  readonly settle_seconds?: number;
  readonly marker?: string | null;
  readonly poll_seconds?: number;
  readonly retry_failed?: boolean;
}

/** The settings after the change. Members that were left out stay. */
export function changedSettings(watch: Watch, change: WatchChange): WatchSettings {
  return {
    keyType: change.key_type ?? watch.keyType,
    mode: change.mode ?? watch.mode,
    compressed: change.compressed === undefined ? watch.compressed : change.compressed,
    settleSeconds: change.settle_seconds ?? watch.settleSeconds,
    marker: change.marker === undefined ? watch.marker : change.marker,
    pollSeconds: change.poll_seconds ?? watch.pollSeconds,
  };
}
