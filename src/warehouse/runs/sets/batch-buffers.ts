import { wordsPerDevice } from '../devices/device-words.ts';
import { numbersPerLength } from '../file/profile-lists.ts';

/** Memory that a thread fills with a batch of devices and, for a profile, their lists. */
interface BatchBuffer {
  readonly devices: Uint32Array<SharedArrayBuffer>;
  readonly lists: Uint16Array<SharedArrayBuffer>;
}

export interface BatchBuffers {
  take(): BatchBuffer;
  /** The caller must not use the buffer afterwards. */
  giveBack(buffer: BatchBuffer): void;
}

/**
 * Buffers for batches of `capacity` devices, of which `kept` wait for their next use. Shared and used
 * again, because memory that was sent to threads is freed only when all of them collect their garbage.
 * The system allocates pages only when they are first written.
 */
export function createBatchBuffers(capacity: number, kept: number): BatchBuffers {
  const unused: BatchBuffer[] = [];
  const newBuffer = (): BatchBuffer => ({
    devices: new Uint32Array(shared(capacity * wordsPerDevice, Uint32Array)),
    lists: new Uint16Array(shared(capacity * (1 + numbersPerLength), Uint16Array)),
  });
  return {
    take: () => unused.pop() ?? newBuffer(),
    giveBack(buffer) {
      if (unused.length < kept) unused.push(buffer);
    },
  };
}

function shared(length: number, { BYTES_PER_ELEMENT }: { readonly BYTES_PER_ELEMENT: number }) {
  return new SharedArrayBuffer(length * BYTES_PER_ELEMENT);
}
