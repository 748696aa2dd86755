/** The state of a job, of a file, or of an audience as a whole. */
export type LoadState = 'pending' | 'running' | 'done' | 'failed';

/** A job ends once. It is `cancelled` if its audience was cleared, or access was disabled, before. */
export type JobState = LoadState | 'cancelled';

export type JobKind = 'import' | 'deletion' | 'audience';

/** The status numbers of import logs and audiences in the API. */
export const statusOf: Readonly<Record<LoadState, 0 | 1 | 2 | 3>> = Object.freeze({
  pending: 0,
  running: 1,
  done: 2,
  failed: 3,
});

/** How the keys of a file name attributes: by our id, or by the partner's own key. */
export const keyType = Object.freeze({ attributeId: 0, partnerForeignKey: 1 });
export type KeyType = (typeof keyType)[keyof typeof keyType];

/** Where the files of an import are. */
export const pathType = Object.freeze({ sharedBucket: 0, partnerBucket: 1 });
export type PathType = (typeof pathType)[keyof typeof pathType];

/** Whether an import adds devices to its attributes or replaces all their devices. */
export type ImportMode = 'merge' | 'replace';

/** The kind of job that an import log records. */
export const logType = Object.freeze({ import: 0, deletion: 1, dryRun: 2, erasure: 3 });
export type LogType = (typeof logType)[keyof typeof logType];
