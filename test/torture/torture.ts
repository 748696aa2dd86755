import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportLog } from '../acceptance/api.ts';
import type { KnownAttribute } from '../acceptance/audience/figures.ts';
import { type Actor, attributePath, createActor } from './actor.ts';
import { createMoments, type Perform, performDirectly, type TakenBackup } from './backups.ts';
import { applyAnswered } from './checks/apply.ts';
import { compareAll } from './checks/compare.ts';
import { readServiceLogs } from './checks/service-logs.ts';
import { compareSets } from './checks/sets.ts';
import { type Client, createClient } from './client.ts';
import { areErased, endErasures, eraseSome, noneErased } from './erasures.ts';
import type { History } from './history.ts';
import { describe, type Operation } from './model/operations.ts';
import { createMoves } from './moves.ts';
import { planFileChange, planJob } from './plan.ts';
import { deckOf, type Random, streamOf } from './random.ts';
import { until } from './until.ts';
import type { Fault, World } from './world/world.ts';

const partners = 3;
const firstAttributes = 3;
const killsPerRound = 5;
/** After a job was seen to run. */
const latestKillMs = 200;

export interface TortureOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Leaves out faults whose name contains one of these texts. */
  readonly without: readonly string[];
  /** Makes a backup in each round, restores it and compares it with the model as of its moment. */
  readonly backups: boolean;
  /** Moves the device sets to the next place in each round. */
  readonly moves: boolean;
  /** Ends the run after the current round. */
  readonly stopped: AbortSignal;
}

/** Breaks the service until the time is up. Throws when it differs from the model. */
export async function torture(
  world: World,
  { seed, minutes, without, backups, moves: hasMoves, stopped }: TortureOptions,
  history: History,
): Promise<void> {
  const client = createClient(world.url);
  const others = await emptyAttributes(world, client);
  const actors: Actor[] = [];
  for (let number = 0; number < partners; number++) {
    actors.push(await createActor(world, client, number));
  }
  const logs = new Map(actors.map((actor) => [actor, [] as ImportLog[]]));
  const serviceLogs = readServiceLogs(world.folder);
  const random = streamOf(seed, 'faults');
  const wanted = ({ name }: Fault) => !without.some((text) => name.includes(text));
  const drawKill = deckOf(world.kills.filter(wanted), random);
  const drawOutage = deckOf(world.outages.filter(wanted), random);
  const erased = noneErased();
  const endsAt = performance.now() + minutes * 60_000;

  await prepare(actors, history);
  const moments =
    backups && world.backups
      ? createMoments(world.adminToken, client, world.backups, actors, history)
      : null;
  const moves = hasMoves ? createMoves(world, client, history) : null;
  for (let round = 1; performance.now() < endsAt && !stopped.aborted; round++) {
    history.startRound(round);
    const outage = drawOutage();
    const fillsDisk = outage.fillsDisk ?? false;
    const turns = actors.map((actor) =>
      takeTurns(actor, seed, round, fillsDisk, history, moments?.perform ?? performDirectly),
    );
    // Files change in the first wave only, so it is known which ones the jobs after it have read.
    const erasing = streamOf(seed, `erasures of round ${round}`);
    const erase = async (wave: number) => {
      // A backup from before an erasure would bring the devices back.
      if (backups || erasing(2) === 0) return;
      const name = `round ${round} wave ${wave}`;
      await eraseSome(client, world.adminToken, erased, name, erasing, history);
    };
    const backupWave = 1 + random(killsPerRound - 1);
    const hasBackup = moments !== null && !fillsDisk && !outage.setsClock;
    let taken: Promise<TakenBackup> | undefined;
    const moveWave = streamOf(seed, `move of round ${round}`)(killsPerRound - 1);
    let moving: Promise<void> | undefined;
    const endOfOutage = inject(outage, random, history);
    endOfOutage.catch(() => {});
    for (let wave = 0; wave < killsPerRound; wave++) {
      const answered = allEnded([...turns.map((turn) => turn()), erase(wave)]);
      answered.catch(() => {});
      if (hasBackup && wave === backupWave) taken = moments.take(logs, random);
      taken?.catch(() => {});
      if (wave === moveWave) moving = moves?.next();
      moving?.catch(() => {});
      const kill = drawKill();
      // Most kills hit a running job. The others hit whatever runs, such as a start.
      if (random(4) > 0) await jobRuns(world, client, answered);
      await sleep(random(latestKillMs));
      await kill.inject(random);
      history.note(kill.name);
      history.countKill(kill.name);
      await answered;
    }
    await endOfOutage;
    const backup = await taken;
    // Devices are erased only when the old place is deleted.
    await moving;
    await settled(client, world.adminToken);
    for (const actor of actors) {
      const ended = await applyAnswered(client, actor, { mayHaveBeenFull: fillsDisk, erased });
      if (!outage.setsClock) checkOrder(ended);
      logs.get(actor)!.push(...ended);
    }
    endErasures(
      erased,
      actors.map(({ model }) => model),
    );
    // Without space anything may fail, but never silently.
    const defects = await serviceLogs.defects();
    if (defects.length > 0 && !fillsDisk) throw new Error(`logged: ${defects.join('\n')}`);
    const checks = streamOf(seed, `checks of round ${round}`);
    await compareAll({ client, actors, others }, (actor) => logs.get(actor)!, checks);
    if (backup) await moments?.check(backup, { others, random: checks, settled });
    history.endRound();
  }
  await moves?.home();
  await using opened = await world.stopAndOpen();
  await compareSets(opened, actors, erased.before.size);
  history.countInterrupted(opened.interruptedJobs);
}

/** The sandbox's attributes, which stay empty. */
async function emptyAttributes(world: World, client: Client): Promise<KnownAttribute[]> {
  const token = world.adminToken;
  const listed = await client.get<{ partner_id: number }[]>('/admin/v1/partners', token);
  const attributes: KnownAttribute[] = [];
  for (const { partner_id } of listed) {
    const path = `/admin/v1/partners/${partner_id}/api-keys`;
    const { api_key } = await client.send<{ api_key: string }>('POST', path, { token, json: {} });
    const own = await client.get<{ attribute_id: number; name: string }[]>(attributePath, api_key);
    attributes.push(
      ...own.map(({ attribute_id, name }) => ({
        attributeId: attribute_id,
        name,
        devices: new Set<number>(),
      })),
    );
  }
  return attributes;
}

async function prepare(actors: readonly Actor[], history: History): Promise<void> {
  for (const actor of actors) {
    for (let i = 0; i < firstAttributes; i++) {
      const attribute = `p${actor.model.number}-${i}`;
      await actor.perform({ kind: 'create attribute', attribute }, `first ${i}`);
    }
  }
  history.note(`${actors.length} partners with ${firstAttributes} attributes each`);
}

/** A partner's part of a round: it changes some files, and then submits one or two jobs in each wave. */
function takeTurns(
  actor: Actor,
  seed: number,
  round: number,
  fillsDisk: boolean,
  history: History,
  submit: Perform,
): () => Promise<void> {
  const { model } = actor;
  const random = streamOf(seed, `round ${round} of partner ${model.number}`);
  let wave = 0;
  let operations = 0;

  async function perform(operation: Operation): Promise<void> {
    history.note(`partner ${model.number} ${describe(operation)}`);
    await submit(actor, operation, `round ${round} operation ${operations++}`);
    history.countOperation(operation.kind);
  }

  return async () => {
    wave++;
    const changes = wave === 1 ? 1 + random(3) : 0;
    for (let i = 0; i < changes; i++) await perform(planFileChange(model, random));
    // Only one job if it may fail: the state before the next one would not be known.
    const jobs = fillsDisk ? Number(wave === 2) : 1 + random(2);
    for (let i = 0; i < jobs; i++) await perform(planJob(model, random));
  };
}

/** Waits until a job runs, or until all jobs have ended. */
async function jobRuns(world: World, client: Client, answered: Promise<void>): Promise<void> {
  let areAnswered = false;
  const noteAnswered = () => {
    areAnswered = true;
  };
  answered.then(noteAnswered, noteAnswered);
  await until(
    'a job to run',
    async () => {
      const mayEnd = areAnswered;
      const { queue } = await client.get<Status>('/admin/v1/status', world.adminToken);
      return queue.some(({ running }) => running > 0) || (mayEnd && queue.length === 0);
    },
    20,
  );
}

async function inject(fault: Fault, random: Random, history: History): Promise<void> {
  history.note(`${fault.name} begins`);
  await fault.inject(random);
  history.note(`${fault.name} ends`);
  history.countOutage(fault.name);
}

/** Waits for all of them, also if one fails, so that none continues in the background. */
async function allEnded(actions: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(actions);
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length > 0) throw failures[0]!.reason;
}

interface Status {
  readonly queue: readonly { readonly running: number }[];
  readonly universe: { readonly backlog: number; readonly outdated_audiences: number };
}

/** Waits until no job is open, what is to be erased is erased, and all reports reflect the universe. */
async function settled(client: Client, adminToken: string): Promise<void> {
  let status: Status | undefined;
  try {
    await until(
      'all jobs and reports to be done',
      async () => {
        if (!(await areErased(client, adminToken))) return false;
        status = await client.get<Status>('/admin/v1/status', adminToken);
        const { queue, universe } = status;
        return queue.length === 0 && universe.backlog === 0 && universe.outdated_audiences === 0;
      },
      250,
    );
  } catch (cause) {
    throw new Error(`the service is still busy: ${JSON.stringify(status)}`, { cause });
  }
}

/** A partner's jobs end in the order in which they were submitted. */
function checkOrder(ended: readonly ImportLog[]): void {
  const ends = ended.map((log) => ({ id: log.import_log_id, at: Date.parse(log.updated_at) }));
  for (const [i, { id, at }] of ends.entries()) {
    const before = ends[i - 1];
    if (before && (before.id > id || before.at > at)) {
      throw new Error(`job ${id} ended before job ${before.id}`);
    }
  }
}
