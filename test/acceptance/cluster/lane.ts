import { apiOf, type ImportLog } from '../api.ts';
import { type AudienceDetails, audiencePath } from '../audience/ingest.ts';
import { rows } from '../marketplace/marketplace.ts';
import { until } from '../service.ts';
import type { FaultWorld } from './fault-world.ts';
import type { Model } from './model.ts';

/** A file in the bucket whose rows are valid for an import and for an audience. */
interface LaneFile {
  readonly path: string;
  readonly devices: readonly number[];
}

/** A partner with an attribute and an audience. Queued changes apply to the model at once. */
export type Lane = Awaited<ReturnType<typeof createLane>>;

const endsWithinMs = 120_000;

export async function createLane(world: FaultWorld, model: Model, name: string) {
  const api = apiOf(world);
  const { partner_id: partnerId, apiKey } = await api.createPartner(world.adminToken, name);
  await api.createAttribute(apiKey, { name, partner_foreign_key: name });
  const attribute = model.attribute(name);
  let files = 0;

  async function upload(first: number, count: number): Promise<LaneFile> {
    const path = `${files++}.csv`;
    const content = rows(first, first + count - 1, name);
    await api.putObject(world.adminToken, partnerId, path, content);
    return { path, devices: Array.from({ length: count }, (_, i) => first + i) };
  }

  async function call<T>(method: string, path: string, json?: object): Promise<T> {
    const answer = await api.call(method, path, apiKey, json);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  const initial = await upload(0, 100);
  const { audience_id: audienceId } = await call<{ audience_id: number }>('POST', audiencePath, {
    name,
    file_path: initial.path,
  });
  const ofAudience = `${audiencePath}/${audienceId}`;
  const audience = model.audience(apiKey, audienceId);
  audience.add(initial.devices);

  const lane = {
    partnerId,
    upload,
    async queueImport(file: LaneFile, mode: 'merge' | 'replace' = 'merge'): Promise<number> {
      const { import_log_id } = await api.queueImport(apiKey, file.path, 1, { mode });
      if (mode === 'replace') attribute.clear();
      for (const device of file.devices) attribute.add(device);
      return import_log_id;
    },
    async queueDeletion(): Promise<number> {
      const body = { key_type: 1, keys: [name] };
      const { import_log_id } = await call<ImportLog>('DELETE', '/v1/marketplace/import', body);
      attribute.clear();
      return import_log_id;
    },
    async queueAppend(file: LaneFile): Promise<void> {
      await call('PATCH', ofAudience, { file_path: file.path });
      audience.add(file.devices);
    },
    log: (importLogId: number) => api.importLog(apiKey, importLogId),
    ended: (importLogId: number) => api.ended(apiKey, importLogId, endsWithinMs),
    audience: () => call<AudienceDetails>('GET', ofAudience),
    /** Waits until the audience has no pending files. */
    audienceSettled: () =>
      until(
        `the audience of ${name} to settle`,
        async () => {
          const details = await lane.audience().catch(() => undefined);
          return details && details.status >= 2 && details;
        },
        endsWithinMs,
      ),
  };
  await lane.audienceSettled();
  return lane;
}
