import { deepStrictEqual, ok } from 'node:assert';
import type { ImportLog } from '../../acceptance/api.ts';
import type { AudienceDetails, Problem } from '../../acceptance/audience/ingest.ts';
import { type Actor, audiencePath, importPath } from '../actor.ts';
import type { Client } from '../client.ts';
import { countIn, type Erased, forget } from '../erasures.ts';
import { type AudienceFile, clearAudience, loadFiles } from '../model/audience.ts';
import { importOutcome, type MarketplaceContent } from '../model/marketplace.ts';
import { describe, type ImportOperation, type Operation } from '../model/operations.ts';
import { type AnsweredOperation, filesAt } from '../model/partner.ts';

export interface ApplyOptions {
  /** The disk was full for a while: loads may have failed for lack of space. */
  readonly mayHaveBeenFull: boolean;
  readonly erased: Erased;
}

interface FileReport {
  readonly s3_path: string;
  readonly status: number;
  readonly total_rows: number;
  readonly rejected_rows: number;
}

/**
 * Applies the answered operations to the model, in order, and compares every log with what the model
 * expects. All jobs have ended. Returns the logs.
 */
export async function applyAnswered(
  client: Client,
  actor: Actor,
  options: ApplyOptions,
): Promise<ImportLog[]> {
  const logs: ImportLog[] = [];
  for (const answered of actor.model.unchecked.splice(0)) {
    try {
      const log = await applyOne(client, actor, answered, options);
      if (log) logs.push(log);
    } catch (cause) {
      const done = `partner ${actor.model.number}: ${describe(answered.operation)}`;
      throw new Error(`wrong result of ${done}`, { cause });
    }
  }
  return logs;
}

async function applyOne(
  client: Client,
  actor: Actor,
  { operation, importLogId, audience }: AnsweredOperation,
  options: ApplyOptions,
): Promise<ImportLog | undefined> {
  const log =
    importLogId === undefined
      ? undefined
      : await client.get<ImportLog>(`${importPath}/${importLogId}`, actor.apiKey);
  switch (operation.kind) {
    case 'import':
      await applyImport(client, actor, operation, log!, options);
      break;
    case 'delete data':
    case 'drop attribute':
      applyDeletion(actor, operation, log!, options);
      break;
    case 'create audience':
      await applyLoad(client, actor, audience!, operation.path, options);
      break;
    case 'append':
      await applyLoad(client, actor, operation.audience, operation.path, options);
      break;
    case 'clear':
      clearAudience(actor.model.audiences[operation.audience]!);
      break;
  }
  forget(actor.model, options.erased.before);
  return log;
}

const isLeftOut = (problem: string) => problem.startsWith('rejects_left_out ');

function countLeftOut(problems: readonly string[]): number {
  return Number(problems.find(isLeftOut)?.split(': ')[1] ?? 0);
}

/** Rejected rows of erased devices are counted, but not kept. */
function countRowsOf(
  { before, now }: Erased,
  files: readonly (readonly [string, MarketplaceContent])[],
): number {
  const erased = [...before, ...now];
  return files
    .flatMap(([, { rows }]) => rows)
    .map(({ first, last, times }) => times * erased.filter((n) => n >= first && n <= last).length)
    .reduce((sum, rows) => sum + rows, 0);
}

async function applyImport(
  client: Client,
  { model, apiKey, prefix, bucket }: Actor,
  operation: ImportOperation,
  log: ImportLog,
  { mayHaveBeenFull, erased }: ApplyOptions,
): Promise<void> {
  const { path, keyType, mode, isDryRun, fromOwnBucket } = operation;
  const below = fromOwnBucket ? `s3://${bucket}/${prefix}` : prefix;
  const files = filesAt(model, path).map(
    ([key, { content }]) => [below + key, content as MarketplaceContent] as const,
  );
  const outcome = importOutcome(model.attributes, files, mode);
  const codes = (log.errors ?? []).map(({ code }) => code);
  const hadNoStorage =
    (fromOwnBucket && codes.includes('storage_unavailable')) ||
    (mayHaveBeenFull && codes.includes('storage_full'));
  deepStrictEqual(
    { path: log.file_path, keyType: log.key_type, keys: log.keys, type: log.log_type },
    {
      path: fromOwnBucket ? below + path : path,
      keyType,
      keys: null,
      type: isDryRun ? 2 : 0,
    },
  );
  if (hadNoStorage) {
    deepStrictEqual([log.status, log.unique_devices], [3, '0']);
    return;
  }
  const suppressed = (log.errors ?? []).find(({ code }) => code === 'suppressed_id');
  const place = files.length === 1 ? files[0]![0] : log.file_path;
  checkSuppressed(outcome.devices, suppressed, place, erased);
  const problems = (log.errors ?? [])
    .filter((problem) => problem !== suppressed)
    .map(({ code, file, count }) => `${code} of ${file}: ${count}`);
  const { status, devices, totalRows, partlyRead } = outcome;
  const isUncertain = (text: string) =>
    /^\w+_(id|key) /.test(text) && text.includes(` of ${partlyRead}: `);
  const isCertain = (text: string) =>
    !isLeftOut(text) && (partlyRead === null || !isUncertain(text));
  if (partlyRead === null) {
    const [found, expected] = [countLeftOut(problems), countLeftOut(outcome.problems)];
    const most = expected + countRowsOf(erased, files);
    ok(found >= expected && found <= most, `${found} rejects left out, not ${expected} to ${most}`);
  }
  deepStrictEqual(
    {
      status: log.status,
      uniqueDevices: log.unique_devices,
      totalRows: totalRows === undefined ? undefined : log.total_rows,
      problems: problems.filter(isCertain).toSorted(),
    },
    {
      status,
      uniqueDevices: String(devices.size - (suppressed?.count ?? 0)),
      totalRows: totalRows === undefined ? undefined : String(totalRows),
      problems: outcome.problems.filter(isCertain),
    },
  );
  const reports = await client.get<FileReport[]>(
    `${importPath}/${log.import_log_id}/files`,
    apiKey,
  );
  const shown = reports.map(({ s3_path, status, total_rows, rejected_rows }, i) => {
    const isCounted = !outcome.files[i]?.endsWith('some rows');
    const counts = isCounted ? `${total_rows} rows, ${rejected_rows} rejected` : 'some rows';
    return `${s3_path}: status ${status}, ${counts}`;
  });
  deepStrictEqual(shown, outcome.files);
  if (!isDryRun) outcome.apply();
}

/** Everything that was erased before the round is left out, and any part of what was erased in it. */
function checkSuppressed(
  devices: ReadonlySet<number>,
  suppressed: { readonly count: number; readonly file: string | null } | undefined,
  place: string | null,
  { before, now }: Erased,
): void {
  const least = countIn(before, devices);
  const most = countIn(new Set([...before, ...now]), devices);
  const { count = 0, file = place } = suppressed ?? {};
  deepStrictEqual(
    { isPossible: count >= least && count <= most, count, file },
    { isPossible: true, count, file: place },
  );
}

function applyDeletion(
  { model }: Actor,
  operation: Extract<Operation, { kind: 'delete data' | 'drop attribute' }>,
  log: ImportLog,
  { erased: { now } }: ApplyOptions,
): void {
  const isDrop = operation.kind === 'drop attribute';
  const names = isDrop ? [operation.attribute] : operation.attributes;
  const usesIds = isDrop || operation.keyType === 0;
  const sets = names.map((name) => model.attributes.get(name)!.devices);
  const distinct = new Set(sets.flatMap((devices) => [...devices]));
  const total = sets.reduce((sum, { size }) => sum + size, 0);
  const erased = sets.reduce((sum, devices) => sum + countIn(now, devices), 0);
  deepStrictEqual(
    {
      status: log.status,
      type: log.log_type,
      keys: log.keys,
      totalRows: withUpTo(erased, Number(log.total_rows), total),
      uniqueDevices: withUpTo(countIn(now, distinct), Number(log.unique_devices), distinct.size),
      errors: log.errors,
    },
    {
      status: 2,
      type: 1,
      keys: usesIds ? names.map((name) => String(model.attributeIds.get(name))) : names,
      totalRows: total,
      uniqueDevices: distinct.size,
      errors: null,
    },
  );
  for (const devices of sets) devices.clear();
  if (isDrop) model.attributes.delete(operation.attribute);
}

/** The expected count, if the shown one is less by no more than the devices that are being erased. */
function withUpTo(erased: number, shown: number, expected: number): number {
  return shown <= expected && shown >= expected - erased ? expected : shown;
}

async function applyLoad(
  client: Client,
  { model, apiKey, prefix }: Actor,
  number: number,
  path: string,
  { mayHaveBeenFull }: ApplyOptions,
): Promise<void> {
  const audience = model.audiences[number]!;
  const files = filesAt(model, path).map(([key, file]): AudienceFile => {
    const { content } = file;
    if (content.kind !== 'audience') throw new Error(`${key} is not an audience file`);
    return { key, content, version: JSON.stringify(file) };
  });
  if (!mayHaveBeenFull) return loadFiles(audience, files, () => false);
  const own = `${audiencePath}/${audience.audienceId}`;
  const { file } = await client.get<AudienceDetails>(own, apiKey);
  const problems = await client.get<Problem[]>(`${own}/errors`, apiKey);
  const hadNoStorage = problems.some(({ code }) => code === 'storage_full');
  const failed = new Set(file.filter(({ status }) => status === 3).map(({ s3_path }) => s3_path));
  loadFiles(audience, files, (key) => hadNoStorage && failed.has(prefix + key));
  audience.lastLoadFailed ||= hadNoStorage;
}
