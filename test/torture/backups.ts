import { deepStrictEqual, match } from 'node:assert';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { readSetFiles } from '../../src/backup/file-list.ts';
import { openFolderTarget } from '../../src/backup/folder-target.ts';
import { readManifest } from '../../src/backup/manifest.ts';
import type { ImportLog } from '../acceptance/api.ts';
import type { KnownAttribute } from '../acceptance/audience/figures.ts';
import { type Actor, actorWith } from './actor.ts';
import { applyAnswered } from './checks/apply.ts';
import { compareAll } from './checks/compare.ts';
import { compareSets } from './checks/sets.ts';
import { type Client, createClient } from './client.ts';
import { noneErased } from './erasures.ts';
import type { History } from './history.ts';
import type { Operation } from './model/operations.ts';
import type { ModelPartner } from './model/partner.ts';
import { chosen, type Random } from './random.ts';
import type { Backups } from './world/world.ts';

/** Performs an operation of a partner. */
export type Perform = (actor: Actor, operation: Operation, name: string) => Promise<void>;

export const performDirectly: Perform = (actor, operation, name) => actor.perform(operation, name);

/** A partner as the model knew it just before a backup. */
interface PartnerThen {
  readonly actor: Actor;
  readonly model: ModelPartner;
  readonly logs: readonly ImportLog[];
  /** The operations that the backup may or may not contain, in order. */
  readonly uncertain: readonly PerformedOperation[];
}

interface PerformedOperation {
  readonly operation: Operation;
  readonly name: string;
}

export interface TakenBackup {
  readonly set: string;
  readonly partners: readonly PartnerThen[];
}

interface CheckOptions {
  readonly others: readonly KnownAttribute[];
  readonly random: Random;
  settled(client: Client, adminToken: string): Promise<void>;
}

const latestStartMs = 1_500;
const retryPauseMs = 500;

/**
 * Takes backups while the service is broken. Operations that were in progress, or began before the backup
 * ended, may or may not be in it. They are sent again to the restored service, with the same
 * idempotency keys: then it has them once, whether it knew them or not.
 */
export function createMoments(
  adminToken: string,
  client: Client,
  backups: Backups,
  actors: readonly Actor[],
  history: History,
) {
  const performed = new Map(actors.map((actor) => [actor, [] as PerformedOperation[]]));
  const answered = new Map(actors.map((actor) => [actor, 0]));
  let number = 0;
  let previous: string | undefined;

  const perform: Perform = async (actor, operation, name) => {
    performed.get(actor)!.push({ operation, name });
    await actor.perform(operation, name);
    answered.set(actor, performed.get(actor)!.length);
  };

  /** Made by the command, or by a worker. */
  async function create(): Promise<string | { readonly failure: string }> {
    if (number++ % 2 === 0) return backups.create();
    const sent = { token: adminToken, json: { action: 'create' } };
    const path = '/admin/v1/backups';
    const { backup_id } = await client.send<{ backup_id: number }>('POST', path, sent);
    for (;;) {
      const entry = await client.get<{ state: string; set: string; problem: string | null }>(
        `${path}/${backup_id}`,
        adminToken,
      );
      if (entry.state === 'done') return entry.set;
      if (entry.state === 'failed') return { failure: entry.problem ?? '' };
      await sleep(retryPauseMs);
    }
  }

  return {
    perform,

    /** Tries until a backup succeeds. */
    async take(
      logs: ReadonlyMap<Actor, readonly ImportLog[]>,
      random: Random,
    ): Promise<TakenBackup> {
      await sleep(random(latestStartMs));
      for (;;) {
        // Then no answer is entered in the model by halves.
        await setImmediate();
        const before = actors.map((actor) => ({
          actor,
          model: structuredClone(actor.model),
          logs: [...logs.get(actor)!],
          from: answered.get(actor)!,
        }));
        const made = await create();
        if (typeof made === 'string') {
          history.note(`backup ${made}`);
          const partners = before.map(({ from, ...then }) => ({
            ...then,
            uncertain: performed.get(then.actor)!.slice(from),
          }));
          return { set: made, partners };
        }
        history.note(`backup failed: ${made.failure}`);
        await sleep(retryPauseMs);
      }
    },

    /** Restores the backup and compares everything with the model as of its moment. */
    async check(
      { set, partners }: TakenBackup,
      { others, random, settled }: CheckOptions,
    ): Promise<void> {
      match(await backups.verify(set), /everything matches/);
      await checkFlippedByte(backups, set, random);
      await using restored = await backups.restore(set);
      const copy = createClient(restored.url);
      const then = partners.map(({ actor, model, logs, uncertain }) => {
        const credentials = { ...actor.access.credentials, endpoint: restored.endpoint };
        const access = { ...actor.access, credentials };
        return { actor: actorWith(copy, adminToken, access, model), logs, uncertain };
      });
      for (const { actor, uncertain } of then) {
        for (const { operation, name } of uncertain) await actor.perform(operation, name);
      }
      await settled(copy, adminToken);
      const logs = new Map<Actor, ImportLog[]>();
      for (const { actor, logs: earlier } of then) {
        const ended = await applyAnswered(copy, actor, {
          mayHaveBeenFull: false,
          erased: noneErased(),
        });
        logs.set(actor, [...earlier, ...ended]);
      }
      const restoredActors = then.map(({ actor }) => actor);
      const comparison = { client: copy, actors: restoredActors, others };
      await compareAll(comparison, (actor) => logs.get(actor)!, random);
      await using opened = await restored.stopAndOpen();
      await compareSets(opened, restoredActors, 0);
      history.note(`backup ${set} was restored and is as expected`);
      history.countRestored();
      // It shared files with the set before, and shares some with the next one.
      if (previous) await backups.remove(previous);
      previous = set;
    },
  };
}

/** Changes one byte of one file, and back. */
async function checkFlippedByte(
  { target, verify }: Backups,
  set: string,
  random: Random,
): Promise<void> {
  const folder = openFolderTarget(target);
  const manifest = await readManifest(folder, set);
  const parts = ['manifest.json', 'manifest.sha256', ...manifest.parts.map(({ path }) => path)];
  const files = await readSetFiles(folder, manifest);
  const path = join(
    target,
    chosen(
      [...parts.map((part) => join(set, part)), ...files.map((file) => join('files', file.path))],
      random,
    ),
  );
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  if (size === 0) return;
  const at = random(size);
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.of(byte[0]! ^ (1 << random(8))), 0, 1, at);
  const found = await verify(set);
  await file.write(byte, 0, 1, at);
  const isFound = /damaged|problems/.test(found);
  deepStrictEqual({ path, at, isFound }, { path, at, isFound: true });
}
