import { lineFeed } from '../scan/ascii.ts';
import { isBlank } from '../scan/cells.ts';
import { byteOrderMark } from '../scan/chunk-cursor.ts';
import { detectLayout } from '../scan/column-layout.ts';
import { decodeLine, endOfLine } from '../scan/decode-line.ts';
import type { ColumnLayout, RowKind } from '../scan/scan-task.ts';
import { compressionOf } from './file-content.ts';

const headBytes = 64 * 1024;

/**
 * The layout of an uncompressed file, from its first line that is not blank. Null if the file is
 * compressed, or if that line is invalid or not near the beginning.
 */
export async function findLayout(
  source: AsyncIterable<Uint8Array>,
  kind: RowKind['kind'],
): Promise<ColumnLayout | null> {
  const head = await readHead(source);
  if (compressionOf(head) !== 'none') return null;
  const isMarked = byteOrderMark.every((byte, i) => head[i] === byte);
  for (let start = isMarked ? byteOrderMark.length : 0; ; ) {
    const feed = head.indexOf(lineFeed, start);
    if (feed === -1) return null;
    const line = decodeLine(head, start, endOfLine(head, start, feed));
    if ('fault' in line) return null;
    if (!isBlank(line.text)) {
      const first = detectLayout(line.text, kind);
      return 'layout' in first ? first.layout : null;
    }
    start = feed + 1;
  }
}

async function readHead(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of source) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= headBytes) break;
  }
  return head;
}
