/** A column of a block: its name, its type and its values as they are in memory. */
export interface Column {
  readonly name: string;
  readonly type: 'UInt64' | 'UInt32' | 'UInt8' | 'FixedString(16)';
  readonly values: BigUint64Array | Uint32Array | Uint8Array;
}

/**
 * A block of ClickHouse's Native format. That format is columnar, as the server stores rows, so it is the
 * cheapest to read.
 */
export function encodeBlock(rows: number, columns: readonly Column[]): Uint8Array[] {
  return [
    Buffer.concat([varint(columns.length), varint(rows)]),
    ...columns.flatMap((column) => {
      const { buffer, byteOffset, byteLength } = column.values;
      return [columnHeader(column), new Uint8Array(buffer, byteOffset, byteLength)];
    }),
  ];
}

/** The bytes before the values of a column. */
export function columnHeader({ name, type }: Pick<Column, 'name' | 'type'>): Buffer {
  return Buffer.concat([text(name), text(type)]);
}

function text(value: string): Uint8Array {
  return Buffer.concat([varint(value.length), Buffer.from(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest);
}
