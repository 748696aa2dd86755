import { createHash } from 'node:crypto';
import { messageOf } from '../domain/errors.ts';
import type { DropOperation } from '../records/database/schema.ts';
import type { DropCycle } from '../records/privacy/drop-cycles.ts';
import type { DropFile } from '../records/privacy/drop-files.ts';
import type { Records } from '../records/records.ts';
import { prepareAmendments } from './amend.ts';
import { archiveKey, newFolder, ObjectLost } from './archive-store.ts';
import { type DropClient, DropFault, type UploadAnswer } from './client.ts';
import { maintenanceSeconds } from './maintenance-window.ts';
import type { StepDependencies } from './steps.ts';

interface SessionDependencies extends StepDependencies {
  readonly records: Pick<Records, 'dropCycles' | 'dropFiles' | 'dropSchedule'>;
  readonly client: DropClient;
  /** From one session to the next. */
  readonly days: number;
  now(): Date;
}

const daySeconds = 24 * 60 * 60;
const firstRetrySeconds = 30;
const mostRetrySeconds = 60 * 60;
/** How long a download may go on after a shutdown was requested. The process is killed soon after that. */
const lastDownloadMs = 3_000;

/**
 * Calls DROP, if it is time to: sends the response of the open cycle, or begins a session, which amends and
 * downloads. Returns the number of calls. Failures are recorded, not thrown. A download goes on if the lock
 * is lost, because DROP may not deliver the archive again.
 */
export async function callDrop(
  deps: SessionDependencies,
  open: DropCycle | undefined,
  signal: AbortSignal,
  shutdownSignal: AbortSignal,
): Promise<number> {
  const { dropSchedule } = deps.records;
  const schedule = await dropSchedule.read();
  // If a step failed, it is not known yet whether the archive is stored.
  if (!schedule?.mayCall || open?.isWaiting) return 0;
  const maintenance = maintenanceSeconds(deps.now());
  if (maintenance > 0 && !schedule.isRequested) return 0;
  try {
    if (open?.state === 'lifted') return await sendResponse(deps, open, signal);
    // The open cycle waits for matching or deletion, or it needs its archive.
    if (open && open.state !== 'downloading') return 0;
    if (!open && !schedule.isDue) return await sendAmendments(deps, signal, { onlyNew: true });
    if (!schedule.isAmended) {
      await prepareAmendments(deps, 'api', signal);
      await sendAmendments(deps, signal);
      await dropSchedule.recordAmended();
    }
    signal.throwIfAborted();
    await download(deps, open, shutdownSignal);
    return 1;
  } catch (error) {
    if (signal.aborted) throw error;
    const { isTemporary, retrySeconds } =
      error instanceof DropFault ? error : { isTemporary: true, retrySeconds: null };
    const backoff = Math.min(firstRetrySeconds * 2 ** schedule.failures, mostRetrySeconds);
    const seconds = isTemporary ? Math.max(retrySeconds ?? backoff, maintenance) : daySeconds;
    await dropSchedule.recordFailure(messageOf(error), seconds);
    deps.onProblem(messageOf(error));
    if (!(error instanceof DropFault)) throw error;
    return 1;
  }
}

async function download(
  deps: SessionDependencies,
  open: DropCycle | undefined,
  shutdownSignal: AbortSignal,
): Promise<void> {
  const { records, store, client, days, onProblem } = deps;
  const { dropCycles, dropSchedule } = records;
  // DROP delivers an archive once. Do not ask for it if it cannot be stored.
  await store.checkReady();
  const folder = open?.folder ?? newFolder();
  // First a row, which says after a crash that an archive may have been delivered.
  const cycleId = open?.cycleId ?? (await dropCycles.beginDownload(folder));
  const isNew = open === undefined;
  let evidenceOf = open?.cycleId ?? null;
  using patience = abortLater(shutdownSignal, lastDownloadMs);
  const answer = await recorded(
    deps,
    () => evidenceOf,
    'download',
    async () => {
      const answer = await client.download(patience.signal);
      if (answer.kind !== 'archive') return answer;
      evidenceOf = cycleId;
      await dropCycles.recordTransfer(cycleId, answer.name);
      const stored = await store.put(archiveKey(folder), answer.content);
      return { kind: answer.kind, name: answer.name, stored };
    },
  ).catch(async (error) => {
    const isAnswered = error instanceof DropFault && error.status !== null;
    const isUnsent = error instanceof DropFault && !error.mayHaveArrived;
    if (isNew && (isAnswered || isUnsent)) await dropCycles.forgetDownload(cycleId);
    throw error;
  });
  if (isNew && answer.kind !== 'archive') await dropCycles.forgetDownload(cycleId);
  switch (answer.kind) {
    case 'archive':
      await dropCycles.recordDownload(cycleId, answer.stored);
      return dropSchedule.endSession(days * daySeconds);
    case 'nothing':
      if (open?.hasTransfer) {
        const problem = `The transfer of the archive ${open.archiveName} was cut off, and DROP has nothing more to deliver. If you have not processed this archive yet, download it in the portal and run "tributary drop sync --manual". Then run "tributary drop close ${cycleId}"`;
        await dropCycles.recordStep(cycleId, 'downloading', 'refused', { problem });
        onProblem(problem);
      } else if (open) await dropCycles.forgetDownload(cycleId);
      return dropSchedule.endSession(days * daySeconds);
    case 'preparing':
      return dropSchedule.postpone(answer.seconds);
    case 'conflict': {
      const problem = open
        ? 'The transfer of an archive was cut off, and DROP does not deliver it again. Download it in the portal and run "tributary drop sync --manual", or ask the support of DROP'
        : 'DROP waits for answers to its last download, but every list that this service processes is answered. Answer the other lists in the portal, or ask the support of DROP';
      throw new DropFault(`${problem} (status 409: ${answer.message})`, {
        status: 409,
        isTemporary: false,
      });
    }
  }
}

/** A signal that aborts that long after the given one. */
function abortLater(signal: AbortSignal, ms: number): Disposable & { signal: AbortSignal } {
  const later = new AbortController();
  const onAbort = () => {
    setTimeout(() => later.abort(signal.reason), ms).unref();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: later.signal,
    [Symbol.dispose]: () => signal.removeEventListener('abort', onAbort),
  };
}

async function sendResponse(
  deps: SessionDependencies,
  cycle: DropCycle,
  signal: AbortSignal,
): Promise<number> {
  const { dropFiles, dropCycles, dropSchedule } = deps.records;
  const files = (await dropFiles.ofCycle(cycle.cycleId)).filter(({ batch }) => batch === 0);
  const ready = files.filter(({ state }) => state === 'ready');
  for (const file of ready) {
    const answer = await sendFile(deps, 'upload', file, signal);
    const problem = await settle(deps, file, answer);
    if (problem !== null) {
      await dropCycles.recordProblem(cycle.cycleId, problem);
      throw new DropFault(problem, { status: answer.status, isTemporary: false });
    }
  }
  if (ready.length > 0) await dropSchedule.recordSuccess();
  const all = await dropFiles.ofCycle(cycle.cycleId);
  if (all.some(({ batch, state }) => batch === 0 && state !== 'accepted')) return 0;
  await dropCycles.recordStep(cycle.cycleId, 'lifted', 'accepted');
  // Perhaps DROP did not take amendments while this download was open.
  await sendAmendments(deps, signal);
  return ready.length;
}

/** Records the answer to a file of a response. Returns what the operator must know, or null. */
async function settle(
  { records }: SessionDependencies,
  file: DropFile,
  answer: UploadAnswer,
): Promise<string | null> {
  const { status, message } = answer;
  const accept = (note: string) =>
    records.dropFiles.recordAnswer(file, 'accepted', status, note).then(() => null);
  const wasSent = file.mayHaveArrived;
  switch (answer.kind) {
    case 'accepted':
      return accept(message);
    case 'rejected': {
      if (wasSent && isDuplicate(message)) return accept(`Accepted before: ${message}`);
      await records.dropFiles.recordRefusal(file);
      await records.dropFiles.recordAnswer(file, 'rejected', status, message);
      return `DROP rejected ${file.name}: ${message}`;
    }
    case 'conflict': {
      // DROP waits for nothing once every item has a status, so the earlier attempt arrived.
      if (wasSent) return accept(`Accepted before: ${message}`);
      await records.dropFiles.recordRefusal(file);
      await records.dropFiles.recordAnswer(file, 'ready', status, message);
      return `DROP expects no response (status 409: ${message}). If you uploaded the files in the portal, run "tributary drop close ${file.cycleId}"`;
    }
  }
}

/**
 * Sends amendments that are ready. Those that DROP does not take now wait for the next session, and do not
 * keep this one from downloading. With `onlyNew`, it sends those that DROP has not answered yet, and throws
 * if a call fails. Returns how many were sent.
 */
async function sendAmendments(
  deps: SessionDependencies,
  signal: AbortSignal,
  { onlyNew = false } = {},
): Promise<number> {
  const ready = await deps.records.dropFiles.openAmendments('api');
  const files = ready.filter(({ answeredAt }) => !onlyNew || answeredAt === null);
  try {
    for (const file of files) await sendAmendment(deps, file, signal);
  } catch (error) {
    if (onlyNew || !(error instanceof DropFault)) throw error;
    deps.onProblem(messageOf(error));
  }
  return files.length;
}

async function sendAmendment(
  deps: SessionDependencies,
  file: DropFile,
  signal: AbortSignal,
): Promise<void> {
  const { dropFiles, dropCycles } = deps.records;
  const answer = await sendFile(deps, 'amend', file, signal).catch((error) => {
    // It waits for the operator, as a file that DROP rejects does, and the others go on.
    if (!(error instanceof ObjectLost)) throw error;
    return { kind: 'lost' as const, status: null, message: error.message };
  });
  const { status, message } = answer;
  const isAccepted =
    answer.kind === 'accepted' ||
    (answer.kind === 'rejected' && file.mayHaveArrived && isDuplicate(message));
  if (isAccepted) return dropFiles.recordAnswer(file, 'accepted', status, message);
  await dropFiles.recordRefusal(file);
  if (answer.kind === 'conflict') return dropFiles.recordAnswer(file, 'ready', status, message);
  await dropFiles.recordAnswer(file, 'rejected', status, message);
  const why = answer.kind === 'lost' ? 'cannot be sent' : 'was rejected by DROP';
  const problem = `The amendment ${file.name} ${why}: ${message}`;
  await dropCycles.recordProblem(file.cycleId, problem);
  deps.onProblem(problem);
}

async function sendFile(
  deps: SessionDependencies,
  operation: 'upload' | 'amend',
  file: DropFile,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const { records, store, client } = deps;
  const content = new Uint8Array(await store.read(file.objectKey));
  const digest = createHash('sha256').update(content).digest();
  if (!digest.equals(file.sha256)) {
    throw new ObjectLost(`The object ${file.objectKey} has changed. Restore it from a backup`);
  }
  await records.dropFiles.recordSending(file);
  try {
    return await recorded(
      deps,
      () => file.cycleId,
      operation,
      () => client.send(operation, { name: file.name, content }, signal),
    );
  } catch (error) {
    if (error instanceof DropFault && !error.mayHaveArrived)
      await records.dropFiles.recordRefusal(file);
    throw error;
  }
}

/** The message for a name that was uploaded before is not published. */
function isDuplicate(message: string): boolean {
  return /already|duplicate/i.test(message);
}

/** The parts of an answer that are evidence. */
interface CallOutcome {
  readonly kind: string;
  readonly status?: number;
  readonly message?: string;
  /** Of an archive. */
  readonly name?: string | null;
}

/** Records a call and its outcome, for evidence. */
async function recorded<T extends CallOutcome>(
  { records }: SessionDependencies,
  cycleOf: () => number | null,
  operation: DropOperation,
  call: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await call();
    const cycleId = cycleOf();
    const { kind, status, message, name }: CallOutcome = answer;
    await records.dropFiles.recordCall({
      cycleId,
      operation,
      status: status ?? statusOf[kind] ?? null,
      message: message || name || kind,
    });
    return answer;
  } catch (error) {
    const status = error instanceof DropFault ? error.status : null;
    const call = { cycleId: cycleOf(), operation, status, message: messageOf(error) };
    await records.dropFiles.recordCall(call);
    throw error;
  }
}

const statusOf: Readonly<Record<string, number>> = {
  archive: 200,
  nothing: 200,
  preparing: 202,
  conflict: 409,
};
