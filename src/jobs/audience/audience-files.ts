import { noticeLeftOut, wholeImportProblem } from '../../domain/import-problems.ts';
import type { OpenedFile } from '../../intake/intake.ts';
import { type ObjectVersion, VersionGone } from '../../objects/port.ts';
import type { FinishedFile } from './audience-commit.ts';
import type { AudienceFileReport } from './audience-report.ts';
import {
  type CommitGroup,
  type CommitTarget,
  createCommitGroup,
  createPendingRows,
} from './commit-group.ts';
import type { LabelRegistry } from './label-registry.ts';

export interface AudienceFiles {
  /** The files to load, in order. */
  readonly opened: AsyncIterable<readonly [ObjectVersion, OpenedFile]>;
  /** Opens the current version of a file that was replaced. */
  open(version: ObjectVersion): OpenedFile;
  /** The current version of a file that was replaced; undefined if it was deleted. */
  stat(key: string): Promise<ObjectVersion | undefined>;
}

export interface AudienceLoading extends CommitTarget {
  readonly labels: LabelRegistry;
  /** Starts the report of the file at that position in the list of files. */
  reportFile?(version: ObjectVersion, position: number): AudienceFileReport;
}

/** How long a group stays open for more files. Many small files then leave few runs. */
const groupMs = 10_000;

/**
 * Loads files into an audience, each one completely or not at all. Files that fit into memory share
 * a load and a commit. A larger file has a load and a commit of its own.
 */
export async function loadAudienceFiles(
  source: AudienceFiles,
  loading: AudienceLoading,
): Promise<void> {
  await using group = createCommitGroup(loading);
  let position = 0;
  for await (const [found, opened] of source.opened) {
    await using reopened = new AsyncDisposableStack();
    let version: ObjectVersion | undefined = found;
    let file = opened;
    while (version && !(await loadFile(version, file, position, group, loading))) {
      version = await source.stat(version.key);
      if (version) file = reopened.use(source.open(version));
    }
    if (!version) await group.add(deletedFile(found, loading.labels), []);
    if (group.ageMs() > groupMs) await group.commit();
    position++;
  }
  await group.commit();
}

/** False if the file was replaced while it was read. */
async function loadFile(
  version: ObjectVersion,
  file: OpenedFile,
  position: number,
  group: CommitGroup,
  loading: AudienceLoading,
): Promise<boolean> {
  const { labels } = loading;
  const labelsBefore = labels.labels().length;
  await using report = loading.reportFile?.(version, position);
  await using rows = createPendingRows(group, loading, version.size);
  try {
    const reading = await file.read({
      labelNumber: labels.numberOf,
      onBytes: report?.countBytes,
      onReject: report?.reject,
      onBatch(batch) {
        report?.countRows(batch.rows);
        return rows.add(batch);
      },
    });
    const leftOut = report ? reading.rejectedRows - (await report.end(reading.totalRows)) : 0;
    const problems = noticeLeftOut(reading.problems, leftOut, version.key);
    if (reading.outcome === 'failed') labels.truncate(labelsBefore);
    const labelCount = labels.labels().length;
    await rows.settle({ version, reading: { ...reading, problems }, labelCount });
    return true;
  } catch (error) {
    if (!(error instanceof VersionGone)) throw error;
    labels.truncate(labelsBefore);
    await report?.discard();
    return false;
  }
}

function deletedFile(version: ObjectVersion, labels: LabelRegistry): FinishedFile {
  const message =
    'The file was deleted before it was read. Upload it again, then append its path to the audience.';
  const problem = { ...wholeImportProblem('no_files', message), file: version.key };
  return {
    version,
    reading: { outcome: 'failed', validRows: 0, problems: [problem] },
    labelCount: labels.labels().length,
  };
}
