import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ModelContent } from '../../../support/audience-model.ts';
import { type AudienceWorld, createAudienceWorld } from '../../../support/audience-world.ts';
import { type CrashingService, startCrashingService } from '../../../support/crashing-service.ts';
import { randomOf } from '../../../support/seeded.ts';
import { openTestWarehouse } from '../../../support/warehouse.ts';

const rounds = process.env.TRIBUTARY_SOAK === '1' ? 60 : 6;
const crashEvery = 2;
const operationsPerRound = 8;
const maximumAudiences = 5;
const population = 60_000;
const largestRange = 40_000;
/** After a job has started. */
const latestKillMs = 60;
const roundTimeoutMs = 60_000;

const keys = ['day/1', 'day/2', 'night/1'];
/** Single files, prefixes, and a path without files. */
const paths = [...keys, 'day/', 'night/', 'night', 'nowhere/'];
const labels = ['', 'seen', 'bought', 'left'];
const faults = ['wrong_columns', 'bad_compression', 'too_many_rejects'] as const;

type Random = (below: number) => number;

test(
  `${rounds} rounds of create, append, clear, overwrite, import, delete and crash match a naive model`,
  async () => {
    await using service = await startCrashingService({ TRIBUTARY_RATE_LIMIT: '1000000' });
    const world = await createAudienceWorld(service, [['a', 'b'], ['c']]);
    for (const [partner] of world.partners.entries()) {
      const random = randomOf(`files of partner ${partner}`);
      for (const key of keys) await world.upload(partner, key, planContent(random));
    }
    for (let round = 0; round < rounds; round++) {
      // The operations depend only on the round number; their timing depends on the machine.
      const random = randomOf(`audience round ${round}`);
      const crashes = round % crashEvery === crashEvery - 1;
      await overwrite(world, random);
      // Files change only here, because a job reads them when it runs.
      const done: string[] = [];
      const submitted = new AbortController();
      const crashing = crashes && crash(service, world, random(latestKillMs), submitted.signal);
      for (let i = 0; i < operationsPerRound; i++) {
        done.push(await operate(world, random, `${round}-${i}`));
      }
      submitted.abort();
      await crashing;
      await world.settled();
      await world.check(`round ${round}${crashes ? ' with a crash' : ''}: ${done.join(', ')}`);
    }
    await checkWhatIsLeft(service, world);
  },
  60_000 + rounds * roundTimeoutMs,
);

/** Kills the worker in the middle of a job, at the latest after the last submission. */
async function crash(
  service: CrashingService,
  world: AudienceWorld,
  afterMs: number,
  submitted: AbortSignal,
): Promise<void> {
  while (!submitted.aborted && !(await world.isRunning())) await sleep(5);
  await sleep(afterMs);
  await service.kill('worker');
}

function planContent(random: Random): ModelContent {
  const first = random(population);
  return {
    first,
    last: first + random(largestRange),
    times: 1 + random(2),
    label: chosen(labels, random),
    fault: random(5) === 0 ? chosen(faults, random) : 'none',
  };
}

function chosen<T>(choices: readonly T[], random: Random): T {
  const choice = choices[random(choices.length)];
  if (choice === undefined) throw new Error('no choices');
  return choice;
}

async function overwrite(world: AudienceWorld, random: Random): Promise<void> {
  for (let i = 1 + random(3); i > 0; i--) {
    await world.upload(random(world.partners.length), chosen(keys, random), planContent(random));
  }
}

/** Submits one operation and returns its description. */
async function operate(world: AudienceWorld, random: Random, name: string): Promise<string> {
  const { audiences, attributes, partners } = world;
  const kind = random(12);
  if (audiences.length === 0 || (kind < 2 && audiences.length < maximumAudiences)) {
    const [partner, path] = [random(partners.length), chosen(paths, random)];
    await world.create(partner, path);
    return `create ${path} of partner ${partner}`;
  }
  const audience = chosen(audiences, random);
  const attribute = chosen(attributes, random);
  if (kind < 7) {
    const path = chosen(paths, random);
    await world.append(audience, path);
    return `append ${path} to ${audience.audienceId}`;
  }
  if (kind < 9) {
    await world.clear(audience);
    return `clear ${audience.audienceId}`;
  }
  if (kind < 11) {
    const first = random(population);
    const last = first + random(largestRange);
    await world.import(attribute, name, first, last);
    return `import ${first} to ${last} into ${attribute.name}`;
  }
  await world.deleteData(attribute);
  return `delete ${attribute.name}`;
}

/** Some jobs were interrupted, and only referenced files are left. */
async function checkWhatIsLeft(service: CrashingService, world: AudienceWorld): Promise<void> {
  const { signal } = new AbortController();
  await using opened = await service.stopAndOpen();
  const { records } = opened;
  expect(await opened.interruptedJobs()).toBeGreaterThan(0);
  await using warehouse = await openTestWarehouse(service.warehouseDir, records);
  const segmentIds: number[] = [(await warehouse.refreshUniverse(signal)).segmentId];
  for (const { partnerId } of world.partners) {
    segmentIds.push(...(await records.attributes.segmentKeys(partnerId, 1)).segmentIds);
  }
  for (const { audienceId, segmentId, devices } of world.audiences) {
    expect(await warehouse.countDistinct([segmentId], signal)).toBe(devices.size);
    const labelled = await records.audienceLabels.of(audienceId);
    segmentIds.push(segmentId, ...labelled.map((label) => label.segmentId));
  }
  await warehouse.sweep(0);
  const runs = await records.manifest.runsOf(segmentIds);
  const referred = new Set(runs.map(({ file }) => file));
  expect((await readdir(service.warehouseDir)).toSorted()).toEqual([...referred].toSorted());
}
