import { crc32 } from 'node:zlib';

/** Digests that were suppressed, or are no longer. Each takes 16 bytes. */
export interface SuppressionEntry {
  readonly digests: Uint8Array;
  readonly isLifted: boolean;
}

const digestBytes = 16;
/** A line has 64 KB. */
const digestsPerLine = 2_048;

/** A line has a sign, `+` or `-` for lifted ones, digests in hexadecimal, and a checksum. */
export function* linesOf({ digests, isLifted }: SuppressionEntry): Generator<string> {
  const bytes = Buffer.from(digests.buffer, digests.byteOffset, digests.byteLength);
  const perLine = digestsPerLine * digestBytes;
  for (let at = 0; at < bytes.length; at += perLine) {
    const hex = bytes.toString('hex', at, Math.min(at + perLine, bytes.length));
    const content = (isLifted ? '-' : '+') + hex;
    yield `${content} ${checksumOf(content)}\n`;
  }
}

/** Undefined if the line is damaged. */
export function parseLine(line: string): SuppressionEntry | undefined {
  const [, content, sign, digests, checksum] =
    /^(([+-])((?:[0-9a-f]{32})+)) ([0-9a-f]{8})$/.exec(line) ?? [];
  if (content === undefined || checksumOf(content) !== checksum) return undefined;
  return { digests: Buffer.from(digests!, 'hex'), isLifted: sign === '-' };
}

function checksumOf(content: string): string {
  return crc32(content).toString(16).padStart(8, '0');
}
