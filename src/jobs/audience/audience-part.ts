import type { FileOptions, Intake, OpenedFile } from '../../intake/intake.ts';
import type { ObjectStore } from '../../objects/port.ts';
import { openPart } from '../parts/open-part.ts';
import type { FilePart } from '../parts/plan-parts.ts';
import type { OpenPartSource } from '../parts/read-parts.ts';
import { openSharedSource, type SharedSource } from '../worker/file-source.ts';

/** Rows of audiences depend on nothing but their lines. */
export const audienceKeys = '';

/** Opens a file of an audience, or some of its lines. */
export function openAudiencePart(
  intake: Pick<Intake, 'openAudienceFile'>,
  source: Pick<SharedSource, 'open' | 'nameOf'>,
  reading: Pick<FileOptions, 'rejectLimit' | 'signal'>,
  part: FilePart,
): OpenedFile {
  return openPart(source, part, reading, intake.openAudienceFile);
}

/** Opens the files of an audience that another worker loads. */
export function audienceParts({
  objects,
  intake,
}: {
  readonly objects: ObjectStore;
  readonly intake: Intake;
}): OpenPartSource {
  return async (_job, signal) => {
    const source = openSharedSource(objects, null);
    // The worker that has the job adds up the rejected rows of a file.
    const reading = { rejectLimit: 1, signal };
    return {
      keys: audienceKeys,
      open: (part) => openAudiencePart(intake, source, reading, part),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  };
}
