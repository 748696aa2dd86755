import { expect } from 'vitest';
import { apiOf } from '../api.ts';
import { expectedCells, type KnownAttribute, overlapOf, rounded } from '../audience/figures.ts';
import {
  type AudienceDetails,
  allAttributes,
  audiencePath,
  type Composition,
} from '../audience/ingest.ts';
import { until } from '../service.ts';
import type { FaultWorld } from './fault-world.ts';

/** The expected contents of the service, computed from the files. */
export type Model = ReturnType<typeof createModel>;

interface ModelAudience {
  readonly audienceId: number;
  /** The partner's API key. */
  readonly apiKey: string;
  readonly devices: Set<number>;
  rows: number;
}

export function createModel({ url, adminToken }: Pick<FaultWorld, 'url' | 'adminToken'>) {
  const api = apiOf({ url });
  const attributes = new Map<string, Set<number>>();
  const audiences: ModelAudience[] = [];

  return {
    /** Adds an attribute and returns its devices, which the caller changes. */
    attribute(name: string): Set<number> {
      const devices = new Set<number>();
      attributes.set(name, devices);
      return devices;
    },

    audience(apiKey: string, audienceId: number) {
      const audience: ModelAudience = { audienceId, apiKey, devices: new Set(), rows: 0 };
      audiences.push(audience);
      return {
        add(devices: readonly number[]): void {
          for (const device of devices) audience.devices.add(device);
          audience.rows += devices.length;
        },
      };
    },

    /** Waits until the universe has settled, then compares every count of the service. */
    async expectHeld(): Promise<void> {
      await universeSettled();
      const held = await heldAttributes();
      const universe = new Set(held.flatMap(({ devices }) => [...devices]));
      for (const audience of audiences) await expectAudience(audience, held, universe);
    },
  };

  async function universeSettled(): Promise<void> {
    const isSettled = async () => {
      const { universe } = await got<{
        universe: { backlog: number; outdated_audiences: number };
      }>('/admin/v1/status', adminToken);
      return universe.backlog === 0 && universe.outdated_audiences === 0;
    };
    await until('the universe to settle', isSettled, 60_000);
  }

  async function heldAttributes(): Promise<KnownAttribute[]> {
    const listed = await allAttributes({ url }, adminToken);
    const held = listed.map(({ attribute_id: attributeId, name }) => {
      const devices = attributes.get(name) ?? new Set<number>();
      return { attributeId, name, devices };
    });
    expect(listed.map(({ name, unique_devices }) => [name, unique_devices])).toEqual(
      held.map(({ name, devices }) => [name, devices.size]),
    );
    return held;
  }

  async function expectAudience(
    { audienceId, apiKey, devices, rows }: ModelAudience,
    held: readonly KnownAttribute[],
    universe: ReadonlySet<number>,
  ): Promise<void> {
    const path = `${audiencePath}/${audienceId}`;
    const counts = {
      unique_devices: devices.size,
      matched_devices: overlapOf(devices, universe).size,
    };
    expect(await got<AudienceDetails>(path, apiKey)).toMatchObject({
      ...counts,
      status: 2,
      uploaded_devices: rows,
    });
    const composition = await got<Composition>(`${path}/composition`, apiKey);
    expect(composition).toMatchObject({
      ...counts,
      stale: false,
      universe_devices: universe.size,
    });
    expect(rounded(composition.attributes)).toEqual(rounded(expectedCells(devices, held)));
  }

  async function got<T>(path: string, token: string): Promise<T> {
    const answer = await api.call('GET', path, token);
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}
