/** How far a backup, a verification or a restore is. */
export interface BackupProgress {
  readonly step: 'database' | 'files';
  readonly bytesDone: number;
  /** 0 while it is not known. */
  readonly bytesTotal: number;
}

export type OnProgress = (progress: BackupProgress) => void;
