import { digestBytes } from '../../../src/domain/privacy/standard-id.ts';
import type { Suppressions } from '../../../src/drop/suppressions.ts';
import { hashOfMaid } from './hash-of-maid.ts';

/** Devices and suppressions in memory. A device has the text of its identifier as its name. */
export interface SuppressionModel extends Suppressions {
  /** The devices that are stored. */
  readonly stored: ReadonlyMap<string, string>;
  /** The digests that are suppressed. */
  readonly suppressed: ReadonlySet<string>;
  /** Whether matching and deletion happen as soon as somebody asks. On at first. */
  isQuick: boolean;
  /** Loads a device. False if it is left out. */
  load(maid: string): boolean;
  /** A request of the operator, who asks for the same device. */
  suppressByOperator(maid: string): void;
  /** Stores a device all the same, as a restored backup does, and finds it. */
  restore(maid: string): void;
  match(): void;
  remove(): void;
  /** Removes the bytes of what was removed. */
  erase(): void;
  /** Whether what would be reported about a digest is true. */
  isTrue(digest: string, status: number): boolean;
}

export function digestTextOf(maid: string): string {
  return Buffer.from(hashOfMaid(maid), 'base64').subarray(0, digestBytes).toString('hex');
}

export function createSuppressionModel(): SuppressionModel {
  /** By digest. */
  const stored = new Map<string, string>();
  const suppressed = new Set<string>();
  const byOperator = new Set<string>();
  const matched = new Set<string>();
  let version = 1;
  let matchedVersion = 1;
  let foundVersion = 1;
  let removedVersion = 1;
  /** Digests of devices that are deleted, and whose bytes are still in a file. */
  const onDisk = new Set<string>();

  function find(digest: string): void {
    if (!matched.has(digest) || stored.has(digest)) foundVersion += 1;
    matched.add(digest);
  }

  const self: SuppressionModel = {
    stored,
    suppressed,
    isQuick: true,

    async suppress(digests) {
      const before = suppressed.size;
      for await (const batch of digests()) for (const each of split(batch)) suppressed.add(each);
      if (suppressed.size > before) version += 1;
      return version;
    },

    async isMatched(of) {
      if (self.isQuick) self.match();
      return matchedVersion >= of;
    },

    foundVersion: async () => foundVersion,

    async isRemoved(of) {
      if (self.isQuick) self.remove();
      return removedVersion >= of;
    },

    async isGone() {
      if (self.isQuick) self.erase();
      return onDisk.size === 0;
    },

    async *readMatches() {
      yield {
        among: async (batch) =>
          Uint8Array.from(split(batch), (each) => (matched.has(each) ? 1 : 0)),
      };
    },

    async lift(digests) {
      for await (const batch of digests()) {
        for (const each of split(batch)) {
          if (byOperator.has(each)) continue;
          suppressed.delete(each);
          matched.delete(each);
        }
      }
    },

    load(maid) {
      const digest = digestTextOf(maid);
      if (suppressed.has(digest)) return false;
      stored.set(digest, maid);
      return true;
    },

    restore(maid) {
      const digest = digestTextOf(maid);
      stored.set(digest, maid);
      find(digest);
    },

    suppressByOperator(maid) {
      byOperator.add(digestTextOf(maid));
      suppressed.add(digestTextOf(maid));
    },

    match() {
      for (const digest of stored.keys()) if (suppressed.has(digest)) find(digest);
      matchedVersion = version;
    },

    remove() {
      for (const digest of matched) if (stored.delete(digest)) onDisk.add(digest);
      removedVersion = foundVersion;
    },

    erase: () => onDisk.clear(),

    isTrue(digest, status) {
      if (stored.has(digest) || onDisk.has(digest)) return false;
      if (!suppressed.has(digest) || matchedVersion < version) return false;
      return status === (matched.has(digest) ? 3 : 5);
    },
  };
  return self;
}

function* split(batch: Uint8Array): Generator<string> {
  const bytes = Buffer.from(batch);
  if (bytes.length % digestBytes !== 0) throw new Error('a batch has half a digest');
  for (let at = 0; at < bytes.length; at += digestBytes) {
    yield bytes.toString('hex', at, at + digestBytes);
  }
}
