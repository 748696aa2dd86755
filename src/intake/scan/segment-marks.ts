/** Tells which segments a row has named already, without forgetting them one by one after it. */
export interface SegmentMarks {
  /** Per segment, the mark of the last row that named it. */
  readonly marked: Uint32Array;
  /** That of the last row; each has the next. */
  mark: number;
}

export function createSegmentMarks(segments: number): SegmentMarks {
  return { marked: new Uint32Array(segments), mark: 0 };
}
