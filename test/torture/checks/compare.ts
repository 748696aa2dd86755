import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { logType } from '../../../src/domain/job.ts';
import type { Attribute, ImportLog } from '../../acceptance/api.ts';
import {
  expectedCells,
  type KnownAttribute,
  overlapOf,
  rounded,
  unionOf,
} from '../../acceptance/audience/figures.ts';
import type { Audience, AudienceDetails, Composition } from '../../acceptance/audience/ingest.ts';
import { type Actor, attributePath, audiencePath, importPath } from '../actor.ts';
import type { Client } from '../client.ts';
import { type ModelAudience, statusOf } from '../model/audience.ts';
import { chosen, type Random } from '../random.ts';

/** Compares everything the service shows of a partner with the model. */
export interface Comparison {
  readonly client: Client;
  readonly actors: readonly Actor[];
  /** Attributes of other partners, which have no devices. */
  readonly others: readonly KnownAttribute[];
}

export async function compareAll(
  { client, actors, others }: Comparison,
  logsOf: (actor: Actor) => readonly ImportLog[],
  random: Random,
): Promise<void> {
  const own = actors.flatMap(({ model }) =>
    [...model.attributes].map(([name, each]): KnownAttribute => ({ ...each, name })),
  );
  const attributes = [...others, ...own].toSorted((a, b) => a.attributeId - b.attributeId);
  const universe = unionOf(attributes);
  for (const actor of actors) {
    await inContext(`attributes of partner ${actor.model.number}`, () =>
      compareAttributes(client, actor),
    );
    await inContext(`logs of partner ${actor.model.number}`, () =>
      compareLogs(client, actor, logsOf(actor)),
    );
    await inContext(`objects of partner ${actor.model.number}`, () =>
      compareObjects(actor, random),
    );
    await inContext(`audience lists of partner ${actor.model.number}`, () =>
      compareLists(client, actor),
    );
    for (const audience of actor.model.audiences) {
      await inContext(`audience ${audience.audienceId} of partner ${actor.model.number}`, () =>
        compareAudience(client, actor, audience, attributes, universe),
      );
    }
  }
}

async function inContext(what: string, compare: () => Promise<void>): Promise<void> {
  try {
    await compare();
  } catch (cause) {
    throw new Error(`wrong ${what}`, { cause });
  }
}

async function compareAttributes(client: Client, { model, apiKey }: Actor): Promise<void> {
  const listed = await client.get<(Attribute & { description: string })[]>(attributePath, apiKey);
  deepStrictEqual(
    listed.map((each) => [each.partner_foreign_key, each.description, each.unique_devices]),
    [...model.attributes].map(([name, { devices }]) => [
      name,
      model.descriptions.get(name),
      devices.size,
    ]),
  );
}

/** No job ended twice, none is missing, and there are no jobs besides the submitted ones. */
async function compareLogs(
  client: Client,
  { apiKey }: Actor,
  logs: readonly ImportLog[],
): Promise<void> {
  const listed = await client.get<ImportLog[]>(importPath, apiKey);
  const own = listed.filter(({ log_type }) => log_type !== logType.erasure);
  const newest = 100 - (listed.length - own.length);
  deepStrictEqual(own, logs.toReversed().slice(0, newest));
}

async function compareObjects({ model, storage }: Actor, random: Random): Promise<void> {
  const keys = [...model.digests.keys()].toSorted();
  deepStrictEqual((await storage.list()).toSorted(), keys);
  if (keys.length === 0) return;
  const key = chosen(keys, random);
  const digest = createHash('md5')
    .update(await storage.read(key))
    .digest('hex');
  deepStrictEqual([key, digest], [key, model.digests.get(key)]);
}

/** A partner sees all of its audiences, a customer only its own. */
async function compareLists(client: Client, { model, apiKey, userTokens }: Actor): Promise<void> {
  const idsOf = async (userToken?: string) =>
    (await client.get<Audience[]>(audiencePath, apiKey, userToken)).map((each) => each.audience_id);
  const all = model.audiences.toSorted((a, b) => a.audienceId - b.audienceId);
  deepStrictEqual(
    await idsOf(),
    all.map(({ audienceId }) => audienceId),
  );
  for (const [customer, token] of userTokens.entries()) {
    const own = all.filter((each) => each.customer === customer);
    deepStrictEqual(
      await idsOf(token),
      own.map(({ audienceId }) => audienceId),
    );
  }
}

async function compareAudience(
  client: Client,
  { apiKey, prefix }: Actor,
  audience: ModelAudience,
  attributes: readonly KnownAttribute[],
  universe: ReadonlySet<number>,
): Promise<void> {
  const { audienceId, devices, entries, labels, uploaded } = audience;
  const path = `${audiencePath}/${audienceId}`;
  const details = await client.get<AudienceDetails>(path, apiKey);
  const matched = overlapOf(devices, universe).size;
  deepStrictEqual(
    {
      status: details.status,
      uploaded: details.uploaded_devices,
      unique: details.unique_devices,
      matched: details.matched_devices,
      files: details.file.map(({ s3_path, status, rows_uploaded }) => [
        s3_path,
        status,
        rows_uploaded,
      ]),
    },
    {
      status: statusOf(audience),
      uploaded,
      unique: devices.size,
      matched,
      files: [...entries].map(([key, { status, rowsUploaded }]) => [
        prefix + key,
        status,
        rowsUploaded,
      ]),
    },
  );
  const report = await client.get<Composition>(`${path}/composition`, apiKey);
  deepStrictEqual(
    {
      stale: report.stale,
      universe: report.universe_devices,
      unique: report.unique_devices,
      matched: report.matched_devices,
      events: report.events.map(({ label, devices }) => `${label}: ${devices}`).toSorted(),
    },
    {
      stale: false,
      universe: universe.size,
      unique: devices.size,
      matched,
      events: [...labels].map(([label, { size }]) => `${label}: ${size}`).toSorted(),
    },
  );
  deepStrictEqual(
    rounded(report.attributes),
    rounded(expectedCells(devices, attributes, 50, universe)),
  );
}
