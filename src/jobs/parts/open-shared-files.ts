import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../domain/limits.ts';
import {
  createFileTally,
  type FileReading,
  type FileReceiver,
  type OpenedFile,
} from '../../intake/intake.ts';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../../objects/port.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import type { FilePart, InputPart } from './plan-parts.ts';
import { keysWithFormat, type PartReading, prefixOf, takeStoredRows } from './stored-rows.ts';

export interface SharedFilesDependencies {
  readonly records: Pick<Records, 'jobParts'>;
  readonly objects: ObjectStore;
}

export interface SharedFilesOptions {
  readonly claim: Claim;
  /** A digest of everything that rows depend on besides the files. All readers must have the same. */
  readonly keys: string;
  /** How many parts to open at once. */
  readonly partsAtOnce: number;
  /** The share of rejected rows above which a file fails. */
  readonly rejectLimit: number;
  readonly signal: AbortSignal;
  nameOf(version: ObjectVersion): string;
  open(part: FilePart): OpenedFile;
}

/** Until then the owner opens at most half of the parts, so that other workers can take the rest. */
const othersFirstMs = 1_000;
const pollMs = 50;
const removalMs = 30_000;

/**
 * Opens the files of a job in order. Any worker may read their parts: this one begins with the first part,
 * other workers with the last. Rows are handed over in the order of the files.
 */
export async function* openSharedFiles(
  { records: { jobParts }, objects }: SharedFilesDependencies,
  files: readonly ObjectVersion[],
  parts: readonly InputPart[],
  options: SharedFilesOptions,
): AsyncGenerator<readonly [ObjectVersion, OpenedFile]> {
  const { claim, partsAtOnce, signal } = options;
  const opened = new Map<number, OpenedFile>();
  /** Parts that were read or are no longer needed. */
  const ended = new Set<number>();
  let mostOpened = Math.min(partsAtOnce, Math.ceil(parts.length / 2));
  let opening: Promise<void> | undefined;
  let hasEnded = false;

  function open(position: number): void {
    if (!opened.has(position)) opened.set(position, options.open(parts[position]!));
  }

  /** Takes parts ahead of their turn. */
  async function takeMore(): Promise<void> {
    const room = mostOpened - opened.size;
    if (room <= 0 || hasEnded) return;
    const taken = await jobParts.takeFirst(claim, room);
    if (!hasEnded) taken.filter((position) => !ended.has(position)).forEach(open);
  }

  async function close(position: number): Promise<void> {
    const part = opened.get(position);
    opened.delete(position);
    await part?.[Symbol.asyncDispose]();
  }

  /** Closes the other parts of a file that failed or was replaced. No worker needs to read them. */
  async function leaveRest(positions: readonly number[]): Promise<void> {
    const rest = positions.filter((position) => !ended.has(position));
    if (rest.length === 0) return;
    for (const position of rest) ended.add(position);
    await jobParts.takeAgain(claim, rest);
    await Promise.all(rest.map(close));
    openAhead();
  }

  /** Ignores errors: they occur again when the part is read. */
  function openAhead(): Promise<void> {
    opening ??= takeMore()
      .catch(() => {})
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  async function readPart(position: number, receiver: FileReceiver): Promise<PartReading> {
    for (;;) {
      signal.throwIfAborted();
      await opening;
      const own = opened.get(position);
      if (own) {
        openAhead();
        const reading = await own.read(receiver);
        await close(position);
        return reading;
      }
      const found = await jobParts.takeOrFind(claim, position);
      if (found.is === 'taken') open(position);
      else if (found.is === 'read') {
        await openAhead();
        await sleep(pollMs, undefined, { signal });
      } else {
        const stored = found.stored as ObjectVersion;
        const reading = await takeStored(stored, parts[position]!, receiver);
        if (reading) return reading;
        await jobParts.takeAgain(claim, [position]);
        open(position);
      }
    }
  }

  /** Null if the rows are gone. Rows that were handed over before count once, because a load is a set. */
  async function takeStored(
    stored: ObjectVersion,
    { range, version }: InputPart,
    receiver: FileReceiver,
  ): Promise<PartReading | null> {
    try {
      const reading = await takeStoredRows(objects.open(stored, 0), receiver);
      // A range is not compressed.
      receiver.onBytes?.(range ? reading.bytesRead : version.size);
      return reading;
    } catch (error) {
      if (error instanceof VersionGone) return null;
      throw error;
    }
  }

  async function readFile(
    positions: readonly number[],
    file: string,
    receiver: FileReceiver,
  ): Promise<FileReading> {
    const { rejectLimit } = options;
    const tally = createFileTally({ file, rejectLimit, labelNumber: () => undefined });
    let linesBefore = 0;
    let bytesRead = 0;
    let rejectsWanted = limits.rejectsPerFile.most;
    for (const position of positions) {
      const reading = await readPart(position, {
        ...receiver,
        onReject(reject) {
          if (rejectsWanted-- > 0) {
            receiver.onReject?.({ ...reject, line: linesBefore + reject.line });
          }
        },
      });
      ended.add(position);
      tally.addSums(reading.sums);
      linesBefore += reading.sums.lines;
      bytesRead += reading.bytesRead;
      if (tally.hasFailed) break;
    }
    return { ...tally.summary(), bytesRead, sums: tally.sums() };
  }

  const positionsOf = Map.groupBy(parts.keys(), (position) => parts[position]!.file);
  await jobParts.publish(claim, keysWithFormat(options.keys), parts);
  const timer = setTimeout(() => {
    mostOpened = partsAtOnce;
    openAhead();
  }, othersFirstMs);
  try {
    // Before the notice, because other workers could take all parts of a small job.
    await openAhead();
    await jobParts.announce();
    for (const [number, version] of files.entries()) {
      const positions = positionsOf.get(number) ?? [];
      const name = options.nameOf(version);
      yield [
        version,
        {
          read: (receiver) => readFile(positions, name, receiver),
          async [Symbol.asyncDispose]() {},
        },
      ];
      await leaveRest(positions);
    }
  } finally {
    hasEnded = true;
    clearTimeout(timer);
    await opening;
    await Promise.all([...opened.values()].map((part) => part[Symbol.asyncDispose]()));
    await removeAll();
  }

  /** If this fails, the next attempt or a maintenance task removes the rest. */
  async function removeAll(): Promise<void> {
    try {
      // Objects first: a privacy request is not done while their parts are recorded.
      await objects.removeAll(prefixOf(claim), AbortSignal.timeout(removalMs));
      await jobParts.clear(claim);
    } catch {}
  }
}
