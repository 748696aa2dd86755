import type { Logger } from 'pino';
import { pauseWatch } from '../../actions/pause-watch.ts';
import { messageOf, TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import {
  isFolderMarker,
  type ObjectStore,
  type OpenPartnerBucket,
  StorageFault,
} from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { Poll } from '../../records/watches/watches.ts';
import { bucketAccess } from '../worker/bucket-access.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';

const everyMs = 2_000;
const longestListingMs = 10 * 60_000;

interface PollDependencies {
  readonly records: Records;
  readonly objects: Pick<ObjectStore, 'uploaded'>;
  readonly openPartnerBucket: OpenPartnerBucket;
  readonly log: Logger;
}

/**
 * Lists the files of watches that are due, one watch after another, and enters new versions into their ledgers.
 * A worker has several of this task, so that one long listing does not delay others.
 */
export function pollWatches(deps: PollDependencies): MaintenanceTask {
  const { records, log } = deps;
  return {
    name: 'list watched files',
    everyMs,
    async run(signal) {
      const outcome = { polls: 0, pollsFailed: 0 };
      while (!signal.aborted) {
        const poll = await records.watches.claimPoll();
        if (!poll) break;
        const isListed = await pollOne(poll, signal);
        outcome[isListed ? 'polls' : 'pollsFailed'] += 1;
      }
      return outcome;
    },
  };

  /** False if the files could not be listed. */
  async function pollOne(poll: Poll, signal: AbortSignal): Promise<boolean> {
    try {
      await using source = await openSource(poll);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(longestListingMs)]);
      await enterAll(source, poll, limit);
      await records.watches.endPoll(poll);
      return true;
    } catch (error) {
      if (signal.aborted) await records.watches.releasePoll(poll);
      signal.throwIfAborted();
      await fail(poll, error);
      return false;
    }
  }

  async function enterAll(source: Source, poll: Poll, signal: AbortSignal): Promise<void> {
    let files = 0;
    for await (const page of source.uploaded(poll.keyPrefix)) {
      signal.throwIfAborted();
      const found = page.filter((version) => !isFolderMarker(version));
      files += found.length;
      if (files > limits.watchedFiles.most) throw new TooManyWatchedFiles();
      if (found.length > 0) await records.watchFiles.enter(poll, found);
      await records.watches.renewPoll(poll);
    }
  }

  async function fail(poll: Poll, error: unknown): Promise<void> {
    // An outage, of AWS for example, ends by itself. Watches go on afterwards.
    const isTheirs = error instanceof StorageFault || error instanceof TooManyWatchedFiles;
    const isTold = isTheirs || (error instanceof TributaryError && poll.bucket !== null);
    const message = isTold ? messageOf(error) : 'The files could not be listed.';
    await records.inTransaction(async (tx) => {
      const failed = await tx.watches.failPoll(poll, message, isTheirs);
      // The operator repairs the shared bucket. Watches go on when it is back.
      const pauses = isTheirs && poll.bucket !== null && failed >= limits.watchFailures.most;
      if (!pauses && !(error instanceof TooManyWatchedFiles)) return;
      const { watchId, partnerId, audienceId } = poll;
      const reason = `${message} Correct this, then resume the watch.`;
      await pauseWatch(tx, { watchId, partnerId, audienceId }, reason);
    });
    log.warn({ watch: poll.watchId, partner: poll.partnerId, err: error }, 'watch listing failed');
  }

  async function openSource({ watchId, partnerId, bucket }: Poll): Promise<Source> {
    if (bucket === null)
      return { uploaded: deps.objects.uploaded, async [Symbol.asyncDispose]() {} };
    const credentials = await records.watches.credentials(watchId);
    return deps.openPartnerBucket(bucket, await bucketAccess(records, partnerId, credentials));
  }
}

type Source = Pick<ObjectStore, 'uploaded'> & AsyncDisposable;

class TooManyWatchedFiles extends Error {
  override readonly name = 'TooManyWatchedFiles';

  constructor() {
    super(
      `There are more than ${limits.watchedFiles.most.toLocaleString('en')} files under the prefix. Delete some, or watch a longer prefix.`,
    );
  }
}
