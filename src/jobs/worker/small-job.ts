import type { ObjectVersion } from '../../objects/port.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { FileSource } from './file-source.ts';
import { JobTooLarge } from './job-handler.ts';

/** Such a job takes a fraction of a second. */
const maxBytes = 512 * 1024;
const maxFiles = 32;

/** The source. If the job must be small, its files may not be many or large. */
export function limitSource<S extends FileSource>(source: S, { mustBeSmall }: Claim): S {
  return mustBeSmall ? { ...source, files: () => limitFiles(source.files()) } : source;
}

async function* limitFiles(files: AsyncIterable<ObjectVersion>): AsyncGenerator<ObjectVersion> {
  let count = 0;
  let bytes = 0;
  for await (const file of files) {
    count++;
    bytes += file.size;
    if (count > maxFiles || bytes > maxBytes) throw new JobTooLarge();
    yield file;
  }
}
