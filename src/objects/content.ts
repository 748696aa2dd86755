import { type ChecksumName, checksumAlgorithms } from './checksum-algorithms.ts';

/** Checksums of the same bytes, by their names. */
export type Digests = Readonly<Partial<Record<ChecksumName, Uint8Array>>>;

/** Bytes to store. Each chunk is valid until the next one is requested. */
export interface Content extends AsyncIterable<Uint8Array> {
  /** In bytes, if known. */
  readonly size?: number;
  /** The checksums that `check` needs. */
  readonly checksums?: readonly ChecksumName[];
  /** Called after the last chunk. Throws to refuse the content. */
  check?(digests: Digests): void;
}

export type RunningDigests = ReturnType<typeof startDigests>;

export function startDigests(names: readonly ChecksumName[]) {
  const running = [...new Set(names)].map(
    (name) => [name, checksumAlgorithms[name].start()] as const,
  );
  return {
    update(bytes: Uint8Array): void {
      for (const [, checksum] of running) checksum.update(bytes);
    },
    async finish(): Promise<Digests> {
      const digests: Partial<Record<ChecksumName, Uint8Array>> = {};
      for (const [name, checksum] of running) digests[name] = await checksum.digest();
      return digests;
    },
  };
}

/** Reads and checks the content. Only for content that fits in memory. */
export async function readContent(content: Content): Promise<Buffer> {
  const digests = startDigests(content.checksums ?? []);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) {
    digests.update(chunk);
    chunks.push(Buffer.from(chunk));
  }
  content.check?.(await digests.finish());
  return Buffer.concat(chunks);
}
