/** Tells which segments a row has already named, without a reset after each row. */
export interface SegmentMarks {
  /** Per segment: the mark of the last row that named it. */
  readonly marked: Uint32Array;
  /** The mark of the current row. Each row gets the next number. */
  mark: number;
}

export function createSegmentMarks(segments: number): SegmentMarks {
  return { marked: new Uint32Array(segments), mark: 0 };
}
