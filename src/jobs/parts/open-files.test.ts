import { expect, test } from 'vitest';
import type { OpenedFile } from '../../intake/intake.ts';
import { VersionGone } from '../../objects/port.ts';
import { type FilesDependencies, type FilesOptions, openFiles } from './open-files.ts';
import { defaultSharing } from './plan-parts.ts';

test('a large file that was replaced is left to its reader', async () => {
  const files = ['a', 'b'].map((key) => ({ key, etag: 'e', size: 2 ** 30 }));
  const deps = {
    sharing: defaultSharing,
    records: { jobParts: { haveOtherWorkers: async () => false } },
  } as unknown as FilesDependencies;
  const file: OpenedFile = {
    read: () => Promise.reject(new Error('not read')),
    async [Symbol.asyncDispose]() {},
  };
  const options = {
    partsAtOnce: 1,
    open: () => file,
    layoutOf: async (version) => {
      throw new VersionGone(version);
    },
  } as Partial<FilesOptions> as FilesOptions;
  const found: string[] = [];
  for await (const [{ key }] of await openFiles(deps, files, options)) found.push(key);
  expect(found).toEqual(['a', 'b']);
});
