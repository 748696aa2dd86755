import type { Finding, ReceivedRequest } from '../../records/privacy/privacy-requests.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import {
  createFoundTally,
  type FoundTally,
  indexNames,
  type NamedDevices,
} from './found-devices.ts';
import {
  changesOf,
  type HeldDevice,
  type LookupDependencies,
  lookUpDevices,
} from './look-up-devices.ts';
import { type SuppressDependencies, suppress } from './suppress.ts';

type RequestDependencies = LookupDependencies & SuppressDependencies;

const everyMs = 2_000;
/** Requests that share one search. */
const requestsAtOnce = 100;
const identifiersAtOnce = 50_000;
const findingsAtOnce = 5_000;
/** Not sooner, because jobs may wait for tables that are written again. */
const retryMs = 60 * 60 * 1_000;

/** What a search found, before it is stored. */
type HeldPlace = HeldDevice & { readonly position: number };

/**
 * Carries out requests about devices. First it looks up what is stored. An access request is then
 * answered. The devices of the others are suppressed, which removes them everywhere, and the request waits
 * until their bytes are gone. One process at a time does this; every step can be repeated.
 */
export function carryOutRequests(deps: RequestDependencies): MaintenanceTask {
  const { records, warehouse } = deps;
  const { privacyRequests } = records;
  let retryAt = 0;
  return {
    name: 'privacy requests',
    everyMs,
    async run(shutdownSignal) {
      const done = { answered: 0, suppressed: 0, removed: 0, ended: 0 };
      if ((await privacyRequests.backlog()).requests === 0) return done;
      await records.unlessLocked(
        'privacy requests',
        async (signal) => {
          await records.refuseNewerSchema();
          for (;;) {
            const batch = firstOf(await privacyRequests.received(requestsAtOnce));
            if (batch.length === 0) break;
            await carryOut(batch, signal);
            for (const { kind } of batch) done[kind === 'access' ? 'answered' : 'suppressed'] += 1;
          }
          const { plain, appliedVersion, resolvedVersion } = await records.suppression.state();
          const versions = { plainVersion: plain.version, appliedVersion, resolvedVersion };
          done.removed = await privacyRequests.setRemoved(versions);
          done.ended = await finishGone();
        },
        shutdownSignal,
      );
      return done;
    },
  };

  /** Rejected rows were deleted before the requests were removed. Their bytes go now. */
  async function finishGone(): Promise<number> {
    if (performance.now() < retryAt || !(await privacyRequests.hasGone())) return 0;
    try {
      return (await records.erasedRows.remove()) ? await privacyRequests.finishGone() : 0;
    } catch (error) {
      retryAt = performance.now() + retryMs;
      throw error;
    }
  }

  async function carryOut(batch: readonly ReceivedRequest[], signal: AbortSignal): Promise<void> {
    const named = await identifiersOf(batch.map(idOf));
    // If an attempt was interrupted, its devices may be removed already.
    const isSearched = new Set(
      batch.filter(({ kind, isCounted }) => kind === 'access' || !isCounted).map(idOf),
    );
    await lookUp(
      batch.filter((request) => isSearched.has(request.requestId)),
      named.filter((request) => isSearched.has(request.requestId)),
      signal,
    );
    for (const { requestId, kind } of batch) {
      if (kind === 'access') await privacyRequests.finishAccess(requestId);
    }
    await suppressAll(batch.filter(({ kind }) => kind !== 'access').map(idOf), signal);
  }

  async function identifiersOf(requestIds: readonly number[]): Promise<NamedDevices[]> {
    const named: NamedDevices[] = [];
    for (const requestId of requestIds) {
      named.push({ requestId, identifiers: await privacyRequests.identifiers(requestId) });
    }
    return named;
  }

  /** Records what is stored about the devices of each request. */
  async function lookUp(
    batch: readonly ReceivedRequest[],
    named: readonly NamedDevices[],
    signal: AbortSignal,
  ): Promise<void> {
    if (batch.length === 0) return;
    const placesOf = indexNames(named);
    const { onlyMarketplace } = await records.suppression.state();
    const tallies = new Map<number, FoundTally>();
    const answers = new Map<number, HeldPlace[]>();
    for (const { requestId, kind } of batch) {
      tallies.set(requestId, createFoundTally());
      if (kind !== 'access') continue;
      answers.set(requestId, []);
      await privacyRequests.clearFindings(requestId);
    }

    async function onHeld(held: HeldDevice): Promise<void> {
      for (const { requestId, position } of placesOf(held.device)) {
        const answer = answers.get(requestId);
        // Audiences keep their devices in this scope, so only an access request names them.
        if (!answer && onlyMarketplace && held.segment.audienceId !== null) continue;
        tallies.get(requestId)!.add(position, held.segment);
        answer?.push({ ...held, position });
        if (answer?.length === findingsAtOnce) await saveAnswer(requestId, answer.splice(0));
      }
    }

    const identifiers = named.flatMap((request) => request.identifiers);
    const { isComplete } = await lookUpDevices({ records, warehouse }, identifiers, onHeld, signal);
    for (const [requestId, answer] of answers) await saveAnswer(requestId, answer);
    for (const [requestId, { positions, counts }] of tallies) {
      await privacyRequests.setFound(requestId, positions, { ...counts(), isComplete });
    }
  }

  async function saveAnswer(requestId: number, held: readonly HeldPlace[]): Promise<void> {
    if (held.length === 0) return;
    const times = await records.deviceLookups.runTimes([
      ...new Set(held.map(({ runId }) => runId)),
    ]);
    const findings = held.map(({ position, segment, runId }): Finding => {
      const { attributeId, audienceId, name, partnerId } = segment;
      const time = times.get(runId);
      const since = { heldSince: time?.committedAt ?? null, isExact: time?.isExact ?? false };
      return { position, attributeId, audienceId, name, partnerId, ...since };
    });
    await privacyRequests.addFindings(requestId, findings);
  }

  async function suppressAll(requestIds: readonly number[], signal: AbortSignal): Promise<void> {
    if (requestIds.length === 0) return;
    // Again, because now they say which of them were found.
    const named = await identifiersOf(requestIds);
    const identifiers = named.flatMap((request) => request.identifiers);
    await suppress(deps, () => changesOf(identifiers), signal);
    const { plain, digests } = await records.suppression.state();
    for (const { requestId, identifiers: own } of named) {
      const hasDigests = own.some(({ device }) => device === null);
      const versions = { plain: plain.version, digests: hasDigests ? digests.version : null };
      await privacyRequests.setSuppressed(requestId, versions);
    }
  }
}

function idOf({ requestId }: ReceivedRequest): number {
  return requestId;
}

/** The first requests, as many as one search takes. */
function firstOf(requests: readonly ReceivedRequest[]): ReceivedRequest[] {
  let identifiers = 0;
  return requests.filter((request, i) => {
    identifiers += request.identifiers;
    return i === 0 || identifiers <= identifiersAtOnce;
  });
}
