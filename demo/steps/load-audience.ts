import type { AudienceDetails } from '../../src/cli/output/audience-text.ts';
import { count } from '../../src/cli/output/print.ts';
import { watchAudience } from '../../src/cli/watch/watch-audience.ts';
import { ApiError, answerOf } from '../../src/client/client.ts';
import { audienceHeader, createAudienceLines } from '../files/audience-file.ts';
import { csvChunks } from '../files/csv-chunks.ts';
import type { Audience } from '../people/audiences.ts';
import type { Population } from '../people/traits.ts';
import type { Narration } from './narration.ts';
import type { Partner } from './provision.ts';
import { upload } from './upload.ts';

/** Loads an audience on behalf of the customer: creates it with the first file, appends the others. */
export async function loadAudience(
  audience: Audience,
  partner: Partner,
  population: Population,
  strangers: number,
  narration: Narration,
): Promise<AudienceDetails> {
  const { name, folder, weeks } = audience;
  const client = partner.forCustomer;
  const devices = population.devices + strangers;

  async function load(week: string, audienceId: string | undefined): Promise<AudienceDetails> {
    await narration.deviceStep(
      `${name}, ${week}`,
      devices,
      (onProgress) => {
        const lines = createAudienceLines(audience, week, population);
        const content = csvChunks(audienceHeader, devices, lines, onProgress);
        return upload(partner.storage, folder + week, content);
      },
      () => `${partner.seller.name} uploaded ${folder}${week}`,
    );
    const id = audienceId ?? (await create());
    if (audienceId !== undefined) await append(audienceId);
    return narration.step(
      async () => done(await watchAudience(client, id, narration.terminal)),
      ({ unique_devices, matched_devices }) =>
        `${name}: ${count(unique_devices)} devices, ${count(matched_devices)} matched`,
    );
  }

  async function create(): Promise<string> {
    const body = { name, file_path: folder };
    return String((await answerOf(client.POST('/v2/firstparty/audience', { body }))).audience_id);
  }

  async function append(id: string): Promise<void> {
    const params = { path: { audience_id: id } };
    const body = { file_path: folder };
    await answerOf(client.PATCH('/v2/firstparty/audience/{audience_id}', { params, body }));
  }

  let details: AudienceDetails | undefined;
  for (const week of weeks) details = await load(week, details && String(details.audience_id));
  if (!details) throw new Error(`audience ${name} has no files`);
  return details;
}

function done(details: AudienceDetails): AudienceDetails {
  if (details.status === 2) return details;
  throw new ApiError(`the load of audience ${details.audience_id} failed`);
}
