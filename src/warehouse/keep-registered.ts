import { ManifestConflict } from '../domain/errors.ts';
import type { RunFiles } from '../records/warehouse/run-files.ts';

/** Protects a registered file from the sweep until it is disposed. */
export interface Registration extends Disposable {
  /** Throws a conflict if the file was swept all the same, for example after a freeze. */
  check(): Promise<void>;
}

/** Much less than the grace period of the sweep. */
const renewEveryMs = 60_000;

/**
 * Renews the record of a file that belongs to no job. It does so by timer, because the work on the
 * file can take long without writing anything.
 */
export function keepRegistered(runFiles: Pick<RunFiles, 'renew'>, file: string): Registration {
  const timer = setInterval(() => {
    // The check reports an unavailable database or a swept file.
    runFiles.renew(file).catch(() => {});
  }, renewEveryMs);
  return {
    async check() {
      if (await runFiles.renew(file)) return;
      throw new ManifestConflict(`${file} was swept while it was being written`);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
