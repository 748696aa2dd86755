import { gzipSync } from 'node:zlib';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { type Attribute, apiOf } from '../api.ts';
import { device, type Marketplace, type Partner } from '../marketplace/marketplace.ts';
import { storageClient } from '../outside.ts';
import { type Service, unhurriedMs, until } from '../service.ts';

interface FileEntry {
  readonly s3_path: string;
  readonly status: number;
  readonly rows_uploaded: number;
  readonly updated_at: string;
}

export interface Audience {
  readonly audience_id: number;
  readonly name: string;
  readonly unique_devices: number;
  readonly default_warehouse_segment_id: number;
  readonly status: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly uploaded_devices: number;
  readonly matched_devices: number;
}

export interface AudienceDetails extends Audience {
  readonly file: readonly FileEntry[];
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly value: string | null;
  readonly count: number;
}

export interface AttributeCell {
  readonly attribute_id: number;
  readonly name: string;
  readonly audience_devices: number | null;
  readonly audience_share: number | null;
  readonly audience_share_low: number | null;
  readonly audience_share_high: number | null;
  readonly baseline_devices: number | null;
  readonly baseline_share: number | null;
  readonly index: number | null;
  readonly index_low: number | null;
  readonly index_high: number | null;
  readonly z: number | null;
  readonly q: number | null;
  readonly exact: boolean;
  readonly suppressed: string | null;
}

export interface Composition {
  readonly audience_id: number;
  readonly default_warehouse_segment_id: number;
  readonly computed_at: string;
  readonly universe_version: number;
  readonly stale: boolean;
  readonly universe_devices: number;
  readonly unique_devices: number;
  readonly matched_devices: number;
  readonly attributes: readonly AttributeCell[];
  readonly events: readonly {
    readonly label: string;
    readonly devices: number;
    readonly share: number | null;
  }[];
}

interface UniverseStatus {
  readonly version: number;
  readonly backlog: number;
  readonly outdated_audiences: number;
}

export const audiencePath = '/v2/firstparty/audience';
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The audiences of a partner, or of a customer if a user token is given. */
export type Ingest = ReturnType<typeof ingestOf>;

export function ingestOf(partner: Partner, userToken?: string) {
  const headers: Record<string, string> = userToken ? { 'x-user-token': userToken } : {};

  async function sent(expected: number, method: string, below: string, json?: unknown) {
    const options = json === undefined ? { headers } : { json, headers };
    const answer = await partner.call(method, `${audiencePath}${below}`, options);
    if (answer.status !== expected) throw new Error(`${answer.status}: ${answer.text}`);
    return answer;
  }

  const ingest = {
    async create(filePath: string, name = 'visitors'): Promise<number> {
      const { body } = await sent(201, 'POST', '', { name, file_path: filePath });
      return body.audience_id;
    },
    async append(audienceId: number, filePath: string): Promise<void> {
      await sent(204, 'PATCH', `/${audienceId}`, { file_path: filePath });
    },
    async clear(audienceId: number): Promise<void> {
      await sent(204, 'PUT', `/${audienceId}`);
    },
    async list(): Promise<Audience[]> {
      return (await sent(200, 'GET', '')).body;
    },
    async details(audienceId: number): Promise<AudienceDetails> {
      return (await sent(200, 'GET', `/${audienceId}`)).body;
    },
    async errors(audienceId: number): Promise<Problem[]> {
      return (await sent(200, 'GET', `/${audienceId}/errors`)).body;
    },
    async composition(audienceId: number): Promise<Composition> {
      return (await sent(200, 'GET', `/${audienceId}/composition`)).body;
    },
    /** The device count of each label. */
    async labels(audienceId: number): Promise<Record<string, number>> {
      const { events } = await ingest.composition(audienceId);
      return Object.fromEntries(events.map(({ label, devices }) => [label, devices]));
    },

    /** Waits until no load of the audience is pending or running. */
    settled(audienceId: number): Promise<AudienceDetails> {
      return until(
        `audience ${audienceId} to settle`,
        async () => {
          const details = await ingest.details(audienceId);
          return details.status >= 2 && details;
        },
        120_000,
        unhurriedMs,
      );
    },
    running(audienceId: number): Promise<AudienceDetails> {
      return until(`audience ${audienceId} to run`, async () => {
        const details = await ingest.details(audienceId);
        return details.status === 1 && details;
      });
    },
    async loaded(filePath: string): Promise<AudienceDetails> {
      return ingest.settled(await ingest.create(filePath));
    },
    /** Uploads one file and creates an audience from it. */
    async loadedFile(content: string | Uint8Array): Promise<AudienceDetails> {
      await partner.upload('devices.csv', content);
      return ingest.loaded('devices.csv');
    },
    async appended(audienceId: number, filePath: string): Promise<AudienceDetails> {
      await ingest.append(audienceId, filePath);
      return ingest.settled(audienceId);
    },

    /** An audience whose load runs until the audience is cleared. */
    async endless(): Promise<number> {
      await partner.upload('endless.gz', endlessFile());
      const audienceId = await ingest.create('endless.gz', 'endless');
      await ingest.running(audienceId);
      return audienceId;
    },
  };
  return ingest;
}

let million: Buffer | undefined;

/** A file with this many million rows of a few devices, 300 kB per million, slow to load. */
export function longFile(millions: number): Buffer {
  const lines = Array.from({ length: 250 }, (_, i) => `${device(0xe0000000 + i)},long\n`);
  million ??= gzipSync(lines.join('').repeat(4_000));
  return Buffer.concat(Array<Buffer>(millions).fill(million));
}

/** A file that takes longer to load than any test waits. */
export function endlessFile(): Buffer {
  return longFile(60);
}

export async function removeObject({ storage }: Partner, key: string): Promise<void> {
  const s3 = storageClient(storage);
  const Key = storage.prefix + key;
  await s3.send(new DeleteObjectCommand({ Bucket: storage.bucket, Key }));
  s3.destroy();
}

/** The attributes of all partners, including the sandbox partner. */
export async function allAttributes(
  service: Pick<Service, 'url'>,
  adminToken: string,
): Promise<Attribute[]> {
  const api = apiOf(service);
  const listed = await api.call('GET', '/admin/v1/partners', adminToken);
  const attributes: Attribute[] = [];
  for (const { partner_id } of (await listed.json()) as { partner_id: number }[]) {
    const path = `/admin/v1/partners/${partner_id}/api-keys`;
    const made = await api.call('POST', path, adminToken, {});
    const { api_key } = (await made.json()) as { api_key: string };
    attributes.push(...(await api.attributes(api_key)));
  }
  return attributes.toSorted((a, b) => a.attribute_id - b.attribute_id);
}

/** Operator calls used by the tests. */
export function operatorOf({ service, adminToken }: Marketplace) {
  const api = apiOf(service);

  async function post(path: string, json: object): Promise<Response> {
    return api.call('POST', path, adminToken, json);
  }

  async function universe(): Promise<UniverseStatus> {
    const answer = await api.call('GET', '/admin/v1/status', adminToken);
    return ((await answer.json()) as { universe: UniverseStatus }).universe;
  }

  return {
    call: (method: string, path: string, json?: object) => api.call(method, path, adminToken, json),
    async customer(name = 'customer'): Promise<number> {
      const answer = await post('/admin/v1/customers', { name });
      return ((await answer.json()) as { customer_id: number }).customer_id;
    },
    async userToken(partner: Partner, customerId: number, more = {}): Promise<string> {
      const path = `/admin/v1/partners/${partner.partnerId}/user-tokens`;
      const answer = await post(path, { customer_id: customerId, ...more });
      return ((await answer.json()) as { user_token: string }).user_token;
    },
    universe,
    /** Waits until the universe and all reports reflect every change. */
    universeSettled: () =>
      until(
        'the universe to settle',
        async () => {
          const status = await universe();
          return status.backlog === 0 && status.outdated_audiences === 0 && status;
        },
        60_000,
      ),
  };
}
