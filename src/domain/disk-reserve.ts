/** Space on a disk that is kept free, above all for the database. */
export interface DiskReserve {
  /**
   * Throws a `storage_full` error if less than the reserve is free. Maintenance may use half of the
   * reserve, because it is what frees the space of deleted data.
   */
  check(purpose: 'data' | 'maintenance'): Promise<void>;
}

/** The space on a disk, in bytes. */
export interface DiskSpace {
  readonly size: number;
  readonly free: number;
  /** How much of it is kept free. */
  readonly reserved: number;
}

export const noReserve: DiskReserve = { check: async () => {} };

const bytesPerCheck = 4 << 20;

export type SpaceCheck = (bytes: number) => Promise<void> | undefined;

/**
 * Called before each write with its size. Checks the space before the first write and then once for
 * every 4 MiB, because a check is a system call.
 */
export function checkWhileWriting(
  reserve: DiskReserve,
  purpose: 'data' | 'maintenance',
): SpaceCheck {
  let unchecked = bytesPerCheck;
  return (bytes) => {
    unchecked += bytes;
    if (unchecked < bytesPerCheck) return undefined;
    unchecked = bytes;
    return reserve.check(purpose);
  };
}
