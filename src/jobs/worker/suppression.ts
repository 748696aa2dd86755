import type { ImportProblem } from '../../domain/import-problems.ts';
import { identifiersIn, withoutIdentifiers, wordsOfHex } from '../../domain/privacy/standard-id.ts';
import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { Records } from '../../records/records.ts';
import {
  SuppressionChanged,
  type SuppressionVersions,
} from '../../records/warehouse/suppression.ts';
import type { Load, LoadMeaning, StagedLoad, Suppressed, Warehouse } from '../../warehouse/port.ts';

export interface SuppressionDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
}

/** What must not be stored, at one moment. */
export interface SuppressionView {
  readonly versions: SuppressionVersions;
  readonly segments: { readonly plain: number; readonly digests: number };
  /** Undefined if nothing is suppressed. */
  readonly suppressed: Suppressed | undefined;
  /** Whether audiences may hold suppressed devices. */
  readonly onlyMarketplace: boolean;
}

export async function readSuppression(
  records: Pick<Records, 'suppression'>,
): Promise<SuppressionView> {
  const state = await records.suppression.state();
  const { plain, digests, resolvedVersion, universeSegmentId, onlyMarketplace } = state;
  const isEmpty = plain.devices + digests.devices === 0;
  // Before everything stored was checked, a device of the universe may match a digest.
  const known = resolvedVersion >= digests.version ? universeSegmentId : null;
  return {
    versions: { plain: plain.version, digests: digests.version },
    segments: { plain: plain.segmentId, digests: digests.segmentId },
    suppressed: isEmpty ? undefined : { plain: plain.segmentId, digests: digests.segmentId, known },
    onlyMarketplace,
  };
}

/** A load that was staged without the devices that were suppressed at that moment. */
export interface FilteredLoad extends StagedLoad {
  readonly view: SuppressionView;
  /** It is a load of an audience, which may hold suppressed devices. */
  readonly isExempt: boolean;
}

export async function stageFiltered(
  records: Pick<Records, 'suppression'>,
  load: Load,
  meaning: LoadMeaning,
  signal: AbortSignal,
): Promise<FilteredLoad> {
  const view = await readSuppression(records);
  // Only the loads of audiences have a segment for every row.
  const isExempt = view.onlyMarketplace && meaning.everyRow !== null;
  const suppressed = isExempt ? undefined : view.suppressed;
  const staged = await load.stage({ ...meaning, suppressed }, signal);
  return { ...staged, view, isExempt };
}

/**
 * Commits a job's outcome. Devices that were suppressed since it was staged must not be in it: if one
 * is, it throws SuppressionChanged and the job starts over. `commit` gets the problems without
 * identifiers that are suppressed.
 */
export async function commitFiltered(
  deps: SuppressionDependencies,
  staged: FilteredLoad | null,
  problems: readonly (readonly ImportProblem[])[],
  commit: (tx: Records, problems: readonly (readonly ImportProblem[])[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { records } = deps;
  let view = staged?.view ?? (await readSuppression(records));
  for (;;) {
    const { versions } = view;
    const shown = await maskIdentifiers(deps, problems, view, signal);
    try {
      return await records.inTransaction(async (tx) => {
        await tx.suppression.hold(versions);
        await commit(tx, shown);
      });
    } catch (error) {
      if (!(error instanceof SuppressionChanged)) throw error;
      const now = await readSuppression(records);
      if (staged?.isExempt) {
        if (!now.onlyMarketplace) throw error;
        view = now;
        continue;
      }
      const compared = staged && (await unaffectedUntil(deps, staged, versions, signal));
      if (staged && !compared) throw error;
      view = compared ? { ...now, versions: compared } : now;
    }
  }
}

/**
 * The versions up to which no staged device was suppressed; null if one was. The staged runs had none
 * that was suppressed before.
 */
async function unaffectedUntil(
  { warehouse }: SuppressionDependencies,
  { change, view: { segments } }: FilteredLoad,
  seen: SuppressionVersions,
  signal: AbortSignal,
): Promise<SuppressionVersions | null> {
  const since = {
    plain: { segmentId: segments.plain, since: seen.plain },
    digests: { segmentId: segments.digests, since: seen.digests },
  };
  const { versions, isAny } = await warehouse.checkSuppressed(change.add, since, signal);
  return isAny ? null : versions;
}

/** What a problem quotes from a file, in its message as well. */
export function quotedText({ value, message }: ImportProblem): string {
  return `${value} ${message}`;
}

/** The problem, without what it quotes. */
export function withoutQuotes(problem: ImportProblem): ImportProblem {
  return { ...problem, value: null, message: withoutIdentifiers(problem.message) };
}

/** Removes quotations that name a suppressed device. */
async function maskIdentifiers(
  deps: SuppressionDependencies,
  problems: readonly (readonly ImportProblem[])[],
  view: SuppressionView,
  signal: AbortSignal,
): Promise<readonly (readonly ImportProblem[])[]> {
  const texts = problems.flat().map(quotedText);
  const names = await namesSuppressed(deps, texts, view, signal);
  if (!names.includes(true)) return problems;
  const masked = new Set(texts.filter((_, i) => names[i]));
  return problems.map((list) =>
    list.map((problem) => (masked.has(quotedText(problem)) ? withoutQuotes(problem) : problem)),
  );
}

/** For each text, whether it has the identifier of a suppressed device. */
export async function namesSuppressed(
  { warehouse }: { readonly warehouse: Pick<Warehouse, 'findSuppressed'> },
  texts: readonly string[],
  { suppressed }: Pick<SuppressionView, 'suppressed'>,
  signal: AbortSignal,
): Promise<boolean[]> {
  const named = suppressed ? texts.map(identifiersIn) : [];
  const all = [...new Set(named.flat())];
  if (!suppressed || all.length === 0) return texts.map(() => false);
  const words = new Uint32Array(all.length * wordsPerDevice);
  for (const [i, id] of all.entries()) words.set(wordsOfHex(id), i * wordsPerDevice);
  const found = await warehouse.findSuppressed(words, suppressed, signal);
  const hits = new Set<string>();
  for (let at = 0; at < found.length; at += wordsPerDevice) {
    hits.add(found.subarray(at, at + wordsPerDevice).join());
  }
  const isHit = (id: string) => hits.has(wordsOfHex(id).join());
  return named.map((ids) => ids.some(isHit));
}
