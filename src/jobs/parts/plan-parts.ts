import type { ByteRange, ColumnLayout } from '../../intake/intake.ts';
import type { ObjectVersion } from '../../objects/port.ts';

/** A file, or some of its lines. */
export interface FilePart {
  readonly version: ObjectVersion;
  /** The lines that start within these bytes. Null: the whole file. */
  readonly range: ByteRange | null;
  /** The columns of the file, if the range does not begin with its first line. */
  readonly layout: ColumnLayout | null;
}

/** A part of the input of a job. */
export interface InputPart extends FilePart {
  /** The position of the file among the job's files. */
  readonly file: number;
}

/** Which jobs several workers read. */
export interface SharingLimits {
  /** A smaller job is read by one worker. */
  readonly leastBytes: number;
  /** Smaller files are not worth an object each for their rows. */
  readonly leastBytesPerFile: number;
  /** Uncompressed files of at least `leastParts` times this size are cut into parts of this size. */
  readonly bytesPerPart: number;
}

export const defaultSharing: SharingLimits = {
  leastBytes: 32 << 20,
  leastBytesPerFile: 1 << 20,
  bytesPerPart: 64 << 20,
};

/** A file that gives fewer parts is not cut. */
const leastParts = 4;

/**
 * Divides the input of a job into parts, in its order. Null if one worker should read it alone. `layoutOf`
 * finds the columns of a file that can be cut.
 */
export async function planParts(
  files: readonly ObjectVersion[],
  limits: SharingLimits,
  layoutOf: (version: ObjectVersion) => Promise<ColumnLayout | null>,
): Promise<InputPart[] | null> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes < limits.leastBytes || bytes < files.length * limits.leastBytesPerFile) return null;
  const parts: InputPart[] = [];
  for (const [file, version] of files.entries()) {
    const isLarge = version.size >= leastParts * limits.bytesPerPart;
    const layout = isLarge ? await layoutOf(version) : null;
    if (layout) parts.push(...cut(file, version, layout, limits.bytesPerPart));
    else parts.push({ file, version, range: null, layout: null });
  }
  return parts.length > 1 ? parts : null;
}

function cut(
  file: number,
  version: ObjectVersion,
  layout: ColumnLayout,
  bytesPerPart: number,
): InputPart[] {
  const count = Math.floor(version.size / bytesPerPart);
  return Array.from({ length: count }, (_, i) => {
    const start = i * bytesPerPart;
    const end = i === count - 1 ? version.size : start + bytesPerPart;
    return { file, version, range: { start, end }, layout: i === 0 ? null : layout };
  });
}
