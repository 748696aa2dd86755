import type { Disclosures } from '../domain/disclosure/disclosure.ts';
import type { ImportProblem } from '../domain/import-problems.ts';
import { limits } from '../domain/limits.ts';
import type { WebhookEvent } from '../domain/webhooks/events.ts';
import type { Records } from '../records/records.ts';
import { audienceOnTheWire } from '../wire/audience.ts';
import { importLogOnTheWire } from '../wire/import-log.ts';
import { emitEvents } from './emit-event.ts';

/** A log may have many of them, and an event is small. */
const mostErrors = 10;
const mostKeys = 100;

interface JobOfPartner {
  readonly partnerId: number;
  readonly jobId: number;
}

/** Sends an event for each import or deletion that ended. Their logs must have their results by then. */
export function emitImportLogs(
  tx: Records,
  type: WebhookEvent,
  jobs: readonly JobOfPartner[],
): Promise<void> {
  const events = jobs.map(({ partnerId, jobId }) => ({
    partnerId,
    async data() {
      const log = importLogOnTheWire((await tx.importLogs.find(partnerId, jobId))!);
      const errors = log.errors?.slice(0, mostErrors).map(withoutValue) ?? null;
      return { ...log, keys: log.keys?.slice(0, mostKeys) ?? null, errors };
    },
  }));
  return emitEvents(tx, type, events);
}

/** Sends an event for each job that was given up. Their logs must have the problem by then. */
export async function emitStopped(
  tx: Records,
  jobIds: readonly number[],
  problem: ImportProblem,
): Promise<void> {
  const jobs = await tx.jobs.subjects(jobIds);
  const logs = jobs.filter(({ audience }) => audience === null);
  await emitImportLogs(tx, 'import.failed', logs);
  for (const { partnerId, audience } of jobs) {
    if (audience) await emitFileFailures(tx, { partnerId, ...audience }, [problem]);
  }
}

interface AudienceOfPartner {
  readonly partnerId: number;
  readonly audienceId: number;
}

/** Sends an event for each audience, with its record after the change. */
export async function emitAudiences(
  tx: Records,
  type: WebhookEvent,
  audiences: readonly AudienceOfPartner[],
  disclosures: Disclosures,
): Promise<void> {
  let found: ReturnType<typeof readAll> | undefined;
  const readAll = () => tx.audiences.findAll(audiences.map(({ audienceId }) => audienceId));
  await emitEvents(
    tx,
    type,
    audiences.map(({ partnerId, audienceId }) => ({
      partnerId,
      async data() {
        found ??= readAll();
        return audienceOnTheWire((await found).get(audienceId)!, disclosures);
      },
    })),
  );
}

/** Sends an event for each problem: of a file that failed, or of the whole load. */
export function emitFileFailures(
  tx: Records,
  { partnerId, audienceId, path }: AudienceOfPartner & { readonly path: string },
  problems: readonly ImportProblem[],
): Promise<void> {
  return emitEvents(
    tx,
    'audience.file_failed',
    problems.slice(0, limits.webhookFileFailures.most).map((problem) => ({
      partnerId,
      data: () => ({ audience_id: audienceId, path, ...withoutValue(problem) }),
    })),
  );
}

/** A value may be an identifier, which must not be stored when its owner asks for deletion. */
function withoutValue(problem: ImportProblem): ImportProblem {
  return { ...problem, value: null };
}
