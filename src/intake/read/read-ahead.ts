import { type SharedBuffers, sizeOfBuffer } from './shared-buffers.ts';

/** Bounds the memory that files take before their turn. All files of an intake share it. */
export interface ReadAhead {
  /** The buffers of one more file. Files that were opened earlier get free memory first. */
  open(signal: AbortSignal): FileBuffers;
  /** The bytes of all buffers that were taken before the turn of their file. */
  readonly heldBytes: number;
}

/** The buffers of one file. */
export interface FileBuffers {
  /** Whether the file is read before its turn. */
  readonly isAhead: boolean;
  /** Before the file's turn, waits until there is memory, one call at a time. Throws the signal's reason. */
  take(bytes: number): Promise<SharedArrayBuffer>;
  giveBack(buffer: SharedArrayBuffer): void;
  /** Begins the file's turn. It then takes buffers without limit. Earlier ones count until given back. */
  beginTurn(): void;
}

interface Waiter {
  readonly file: number;
  readonly bytes: number;
  /** Ends the wait, either because there is memory or because it is the file's turn. */
  admit(isCounted: boolean): void;
}

export function createReadAhead(buffers: SharedBuffers, mostBytes: number): ReadAhead {
  /** In the order in which their files were opened. */
  const waiters: Waiter[] = [];
  let files = 0;
  let held = 0;

  function admitWaiters(): void {
    while (waiters[0] && held + waiters[0].bytes <= mostBytes) {
      held += waiters[0].bytes;
      waiters.shift()!.admit(true);
    }
  }

  function remove(file: number): Waiter | undefined {
    const index = waiters.findIndex((waiter) => waiter.file === file);
    return index === -1 ? undefined : waiters.splice(index, 1)[0];
  }

  return {
    get heldBytes() {
      return held;
    },

    open(signal) {
      const file = files++;
      const counted = new Set<SharedArrayBuffer>();
      let isAhead = true;

      /** Whether the bytes count. */
      function waitFor(bytes: number): Promise<boolean> {
        return new Promise((resolve, reject) => {
          const abort = () => {
            remove(file);
            reject(signal.reason);
            admitWaiters();
          };
          const admit = (isCounted: boolean) => {
            signal.removeEventListener('abort', abort);
            resolve(isCounted);
          };
          const after = waiters.findIndex((waiter) => waiter.file > file);
          waiters.splice(after === -1 ? waiters.length : after, 0, { file, bytes, admit });
          signal.addEventListener('abort', abort);
          admitWaiters();
        });
      }

      return {
        get isAhead() {
          return isAhead;
        },
        async take(bytes) {
          signal.throwIfAborted();
          const isCounted = isAhead && (await waitFor(sizeOfBuffer(bytes)));
          const buffer = buffers.take(bytes);
          if (isCounted) counted.add(buffer);
          return buffer;
        },
        giveBack(buffer) {
          buffers.giveBack(buffer);
          if (!counted.delete(buffer)) return;
          held -= buffer.byteLength;
          admitWaiters();
        },
        beginTurn() {
          isAhead = false;
          remove(file)?.admit(false);
          admitWaiters();
        },
      };
    },
  };
}
