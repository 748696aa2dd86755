import { expect } from 'vitest';
import { apiOf } from '../acceptance/api.ts';
import { expectedCells, overlapOf, rounded } from '../acceptance/audience/figures.ts';
import {
  type AudienceDetails,
  allAttributes,
  type Composition,
} from '../acceptance/audience/ingest.ts';
import { until } from '../acceptance/service.ts';
import {
  bytesOf,
  clearAudience,
  emptyAudience,
  loadPath,
  type ModelAudience,
  type ModelContent,
  statusOf,
} from './audience-model.ts';
import { deviceRows } from './devices.ts';

/** The service of the world. Its processes may be killed during the test. */
interface WorldService {
  readonly url: string;
  readonly adminToken: string;
}

export interface WorldPartner {
  readonly partnerId: number;
  readonly apiKey: string;
  readonly prefix: string;
  readonly files: Map<string, ModelContent>;
}

interface WorldAttribute {
  readonly partner: number;
  readonly attributeId: number;
  readonly name: string;
  readonly devices: Set<number>;
}

interface Status {
  readonly queue: readonly { readonly running: number }[];
  readonly universe: {
    readonly backlog: number;
    readonly outdated_audiences: number;
  };
}

const audiencePath = '/v2/firstparty/audience';
const importPath = '/v1/marketplace/import';
const settleTimeoutMs = 60_000;

/** A service and a simple model of it. Every action is applied to both. */
export type AudienceWorld = Awaited<ReturnType<typeof createAudienceWorld>>;

export async function createAudienceWorld(
  service: WorldService,
  attributesOfPartners: readonly (readonly string[])[],
) {
  const api = apiOf(service);
  const partners: WorldPartner[] = [];
  const attributes: WorldAttribute[] = [];
  const audiences: ModelAudience[] = [];
  for (const [partner, names] of attributesOfPartners.entries()) {
    const made = await api.createPartner(service.adminToken, `partner ${partner}`);
    const { partner_id: partnerId, apiKey, prefix } = made;
    partners.push({ partnerId, apiKey, prefix, files: new Map() });
    for (const name of names) {
      const created = await api.createAttribute(apiKey, { name, partner_foreign_key: name });
      attributes.push({ partner, attributeId: created.attribute_id, name, devices: new Set() });
    }
  }
  const others = (await allAttributes(service, service.adminToken))
    .filter(({ attribute_id }) => !attributes.some((own) => own.attributeId === attribute_id))
    .map(({ attribute_id, name }) => ({
      attributeId: attribute_id,
      name,
      devices: new Set<number>(),
    }));

  function partnerOf(index: number): WorldPartner {
    const partner = partners[index];
    if (!partner) throw new Error(`unknown partner ${index}`);
    return partner;
  }

  async function sent(partner: number, method: string, path: string, json?: object) {
    const answer = await api.call(method, path, partnerOf(partner).apiKey, json);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async function read<T>(partner: number, path: string): Promise<T> {
    return (await (await sent(partner, 'GET', path)).json()) as T;
  }

  async function status(): Promise<Status> {
    const answer = await api.call('GET', '/admin/v1/status', service.adminToken);
    return (await answer.json()) as Status;
  }

  return {
    attributes,
    audiences,
    partners,

    async upload(partner: number, key: string, content: ModelContent): Promise<void> {
      const { partnerId, files } = partnerOf(partner);
      await api.putObject(service.adminToken, partnerId, key, Buffer.from(bytesOf(content)));
      files.set(key, content);
    },

    async create(partner: number, path: string): Promise<void> {
      const answer = await sent(partner, 'POST', audiencePath, { name: path, file_path: path });
      const body = (await answer.json()) as {
        audience_id: number;
        default_warehouse_segment_id: number;
      };
      const { audience_id, default_warehouse_segment_id } = body;
      const audience = emptyAudience(audience_id, default_warehouse_segment_id, partner);
      loadPath(audience, partnerOf(partner).files, path);
      audiences.push(audience);
    },

    async append(audience: ModelAudience, path: string): Promise<void> {
      const { partner, audienceId } = audience;
      await sent(partner, 'PATCH', `${audiencePath}/${audienceId}`, { file_path: path });
      loadPath(audience, partnerOf(partner).files, path);
    },

    async clear(audience: ModelAudience): Promise<void> {
      await sent(audience.partner, 'PUT', `${audiencePath}/${audience.audienceId}`);
      clearAudience(audience);
    },

    /** Uses a new name each time, because the file is read only when the job runs. */
    async import(
      attribute: WorldAttribute,
      name: string,
      first: number,
      last: number,
    ): Promise<void> {
      const { partnerId, apiKey } = partnerOf(attribute.partner);
      const text = deviceRows(first, last + 1, attribute.name);
      await api.putObject(service.adminToken, partnerId, `imports/${name}`, text);
      await api.queueImport(apiKey, `imports/${name}`, 1);
      for (let number = first; number <= last; number++) attribute.devices.add(number);
    },

    async deleteData(attribute: WorldAttribute): Promise<void> {
      await sent(attribute.partner, 'DELETE', importPath, { key_type: 1, keys: [attribute.name] });
      attribute.devices.clear();
    },

    /** Whether a job is running. */
    async isRunning(): Promise<boolean> {
      return (await status()).queue.some(({ running }) => running > 0);
    },

    /** Waits until no job is open and all reports reflect the universe. */
    async settled(): Promise<void> {
      await until(
        'the world to settle',
        async () => {
          const { queue, universe } = await status();
          const { backlog, outdated_audiences } = universe;
          return queue.length === 0 && backlog === 0 && outdated_audiences === 0;
        },
        settleTimeoutMs,
      );
    },

    /** Checks every record, file entry and report against the model. */
    async check(context: string): Promise<void> {
      for (const audience of audiences) {
        const { partner, audienceId } = audience;
        const { prefix } = partnerOf(partner);
        const details = await read<AudienceDetails>(partner, `${audiencePath}/${audienceId}`);
        const universe = new Set(attributes.flatMap(({ devices }) => [...devices]));
        const expected = {
          status: statusOf(audience),
          uploaded_devices: audience.uploaded,
          unique_devices: audience.devices.size,
          matched_devices: overlapOf(audience.devices, universe).size,
          file: [...audience.entries].map(([key, { status, rowsUploaded }]) => ({
            s3_path: prefix + key,
            status,
            rows_uploaded: rowsUploaded,
          })),
        };
        expect({ context, audienceId, ...details }).toMatchObject({
          context,
          audienceId,
          ...expected,
        });
        expect(details.file).toHaveLength(expected.file.length);

        const path = `${audiencePath}/${audienceId}/composition`;
        const report = await read<Composition>(partner, path);
        expect({ context, ...report }).toMatchObject({
          context,
          stale: false,
          audience_id: audienceId,
          universe_devices: universe.size,
          unique_devices: audience.devices.size,
          matched_devices: expected.matched_devices,
        });
        expect({ context, cells: rounded(report.attributes) }).toEqual({
          context,
          cells: rounded(expectedCells(audience.devices, [...others, ...attributes])),
        });
        const labels = report.events.map(({ label, devices }) => [label, devices]);
        expect({ context, labels: new Map(labels as [string, number][]) }).toEqual({
          context,
          labels: new Map([...audience.labels].map(([label, devices]) => [label, devices.size])),
        });
      }
    },
  };
}
