import type { ColumnLayout, OpenedFile } from '../../intake/intake.ts';
import { type ObjectVersion, VersionGone } from '../../objects/port.ts';
import { openAhead } from '../worker/open-ahead.ts';
import {
  openSharedFiles,
  type SharedFilesDependencies,
  type SharedFilesOptions,
} from './open-shared-files.ts';
import { planParts, type SharingLimits } from './plan-parts.ts';

export interface FilesDependencies extends SharedFilesDependencies {
  /** Which jobs other workers may read parts of. Undefined: none. */
  readonly sharing?: SharingLimits | undefined;
}

export interface FilesOptions extends SharedFilesOptions {
  /** The columns of a file. Null if it cannot be read in parts. */
  layoutOf(version: ObjectVersion): Promise<ColumnLayout | null>;
}

/** Opens the files of a job in their order. Other workers read parts of them, if they are large. */
export async function openFiles(
  deps: FilesDependencies,
  files: readonly ObjectVersion[],
  options: FilesOptions,
): Promise<AsyncIterable<readonly [ObjectVersion, OpenedFile]>> {
  const parts = deps.sharing && (await planParts(files, deps.sharing, layoutOf));
  if (parts && (await deps.records.jobParts.haveOtherWorkers())) {
    return openSharedFiles(deps, files, parts, options);
  }
  const open = (version: ObjectVersion) => options.open({ version, range: null, layout: null });
  return openAhead(files, options.partsAtOnce, open);

  /** A file that was replaced or deleted is not cut. Reading it finds the same. */
  async function layoutOf(version: ObjectVersion): Promise<ColumnLayout | null> {
    try {
      return await options.layoutOf(version);
    } catch (error) {
      if (error instanceof VersionGone) return null;
      throw error;
    }
  }
}
