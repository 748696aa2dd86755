/** A job waits, runs, and ends once: `done` or `failed`. */
export type JobState = 'pending' | 'running' | 'done' | 'failed';

export type JobKind = 'import' | 'deletion';

/** The status numbers that import logs and audiences carry on the wire. */
export const statusOf: Readonly<Record<JobState, 0 | 1 | 2 | 3>> = Object.freeze({
  pending: 0,
  running: 1,
  done: 2,
  failed: 3,
});

/** How the keys of a file name attributes: by our id, or by the partner's own key. */
export const keyType = Object.freeze({ attributeId: 0, partnerForeignKey: 1 });
export type KeyType = (typeof keyType)[keyof typeof keyType];

/** Where the files of an import lie. */
export const pathType = Object.freeze({ sharedBucket: 0, partnerBucket: 1 });
export type PathType = (typeof pathType)[keyof typeof pathType];

/** Whether an import is merged into its attributes, or is all that they hold afterwards. */
export type ImportMode = 'merge' | 'replace';

/** What an import log records. */
export const logType = Object.freeze({ import: 0, deletion: 1, dryRun: 2 });
export type LogType = (typeof logType)[keyof typeof logType];
