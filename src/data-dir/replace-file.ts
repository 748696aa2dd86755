import { randomBytes } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file completely or not at all, even if the power fails. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await using file = await open(unfinished, 'w', 0o600);
  await file.writeFile(`${content}\n`);
  await file.sync();
  await rename(unfinished, path);
  await using folder = await open(dirname(path));
  await folder.sync();
}
