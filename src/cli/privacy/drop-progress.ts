import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { paths } from '../../client/openapi.ts';
import { createProgressBar } from '../output/progress-bar.ts';

type Status =
  paths['/admin/v1/privacy/drop']['get']['responses'][200]['content']['application/json'];
type Evidence =
  paths['/admin/v1/privacy/cycles/{cycle_id}']['get']['responses'][200]['content']['application/json'];

const pollMs = 1_000;
const noKey =
  'The workers have no TRIBUTARY_DROP_API_KEY, so nothing calls DROP. Set it and restart them, or use --manual with an archive from the portal';

/** Sends a ZIP file of the portal to the service. */
export async function addArchive(client: TributaryClient, zip: string) {
  const { size } = await stat(zip);
  const progress = createProgressBar(process.stderr, size);
  const content = Readable.toWeb(Readable.from(progress.counted(createReadStream(zip))));
  return answerOf(
    client.PUT('/admin/v1/privacy/archives/{name}', {
      params: { path: { name: basename(zip) } },
      // JSON Schema describes bytes as a string. The stream itself is sent.
      body: content as unknown as string,
      bodySerializer: (body) => body as unknown as ReadableStream,
      duplex: 'half',
      headers: { 'content-type': 'application/octet-stream' },
    }),
  ).finally(() => progress.end());
}

/** Waits until the files of a cycle are written. The deletion before it may take hours. */
export async function followCycle(
  client: TributaryClient,
  id: string,
  show: (text: string) => void,
): Promise<Evidence> {
  const params = { path: { cycle_id: id } };
  for (;;) {
    const cycle = await answerOf(client.GET('/admin/v1/privacy/cycles/{cycle_id}', { params }));
    if (cycle.state === 'lifted' || cycle.state === 'accepted') return cycle;
    if (cycle.state === 'refused') throw new Error(cycle.problem ?? 'the archive was refused');
    show(`cycle ${id}: ${cycle.state}${cycle.problem === null ? '' : `, ${cycle.problem}`}`);
    await sleep(pollMs);
  }
}

/** Waits until the session that was asked for is over and nothing is open, or there is a problem. */
export async function followSession(
  client: TributaryClient,
  before: Status,
  show: (text: string) => void,
) {
  const callBefore = before.calls[0]?.last_at;
  for (;;) {
    const status = await answerOf(client.GET('/admin/v1/privacy/drop'));
    const open = status.open_cycles.find(
      ({ kind, state }) => kind === 'api' && state !== 'refused',
    );
    const problem = status.problem ?? open?.problem;
    if (problem) throw new Error(problem);
    if (!status.is_requested && !status.is_automatic) throw new Error(noKey);
    if (!status.is_requested && !open) return status;
    const last = status.calls.find(({ last_at }) => last_at !== callBefore);
    show(
      open ? `cycle ${open.cycle_id}: ${open.state}` : (last?.message ?? 'waiting for a worker'),
    );
    await sleep(pollMs);
  }
}

/** Writes the files that DROP has not accepted, or all if it has. Returns their paths. */
export async function saveAnswers(
  client: TributaryClient,
  cycle: Evidence,
  folder: string,
): Promise<string[]> {
  const written = cycle.files.filter(({ state }) => state !== 'held');
  const open = written.filter(({ state }) => state !== 'accepted');
  const saved: string[] = [];
  for (const { name } of open.length > 0 ? open : written) {
    saved.push(await saveFile(client, cycle.cycle_id, name, folder));
  }
  return saved;
}

/** Writes amendments of earlier cycles that the operator brought. */
export async function saveAmendments(client: TributaryClient, folder: string) {
  const { open_amendments } = await answerOf(client.GET('/admin/v1/privacy/drop'));
  const saved: { readonly cycleId: number; readonly file: string }[] = [];
  for (const { cycle_id: cycleId, name } of open_amendments) {
    saved.push({ cycleId, file: await saveFile(client, cycleId, name, folder) });
  }
  return saved;
}

async function saveFile(
  client: TributaryClient,
  cycleId: number,
  name: string,
  folder: string,
): Promise<string> {
  const body: unknown = await answerOf(
    client.GET('/admin/v1/privacy/cycles/{cycle_id}/files/{name}', {
      params: { path: { cycle_id: String(cycleId), name } },
      parseAs: 'stream',
    }),
  );
  const path = join(folder, name);
  // Under its name only when it is complete.
  await pipeline(body as AsyncIterable<Uint8Array>, createWriteStream(`${path}.partial`));
  await rename(`${path}.partial`, path);
  return path;
}
