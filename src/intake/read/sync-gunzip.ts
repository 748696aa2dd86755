import { constants, createGunzip } from 'node:zlib';

/** Inflates a gzip file piece by piece, synchronously. */
export interface SyncGunzip {
  /** Inflates as much of the input as there is room for. */
  write(input: Uint8Array, output: Uint8Array): Written;
  /** Signals the end of the input. The file is complete once the output is not filled. */
  end(output: Uint8Array): Written;
  close(): void;
}

interface Written {
  /** How many bytes of the input were used. */
  readonly used: number;
  /** How many bytes were written to the output. */
  readonly made: number;
  readonly isDamaged: boolean;
}

/**
 * The internals of Node's zlib streams. Every documented way to inflate in pieces switches threads
 * twice per piece. Beside busy threads that took 2.5 s instead of 1.85 s for 443 MB.
 */
interface ZlibInternals {
  readonly _handle: {
    writeSync(flush: number, ...inAndOut: [...Slice, ...Slice]): void;
  };
  /** The output space and the input that the last call left over. */
  readonly _writeState: Uint32Array;
}

type Slice = [bytes: Uint8Array, offset: number, length: number];

const nothing = new Uint8Array();
const damaged: Written = { used: 0, made: 0, isDamaged: true };

/** Reads several members, and skips zero padding after them, as tapes and block devices leave it. */
export function createSyncGunzip(): SyncGunzip {
  const stream = createGunzip();
  const { _handle: handle, _writeState: left } = stream as unknown as ZlibInternals;
  let isPadding = false;
  // Errors are checked after every call.
  stream.on('error', () => {});

  function call(flush: number, input: Uint8Array, output: Uint8Array): Written {
    handle.writeSync(flush, input, 0, input.length, output, 0, output.length);
    if (stream.errored) return damaged;
    return { used: input.length - left[1]!, made: output.length - left[0]!, isDamaged: false };
  }

  return {
    write(input, output) {
      if (isPadding) {
        const isDamaged = input.some((byte) => byte !== 0);
        return { used: input.length, made: 0, isDamaged };
      }
      const written = call(constants.Z_NO_FLUSH, input, output);
      // Input left over although there is space belongs to no member.
      isPadding = written.used < input.length && written.made < output.length;
      return written;
    },
    end: (output) =>
      isPadding
        ? { used: 0, made: 0, isDamaged: false }
        : call(constants.Z_FINISH, nothing, output),
    close: () => stream.close(),
  };
}
