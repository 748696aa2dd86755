import { createSyncGunzip, type SyncGunzip } from './sync-gunzip.ts';

/** Continues a file until the output is full. */
export interface InflateStep {
  readonly file: number;
  readonly isFirst: boolean;
  /** The next bytes of the file. They must not change until they are used up. */
  readonly input: Uint8Array | null;
  /** Whether this is the last input. */
  readonly isLast: boolean;
  readonly output: SharedArrayBuffer;
}

export interface Inflated {
  readonly bytes: number;
  /** How many of the oldest inputs are no longer needed. */
  readonly usedUp: number;
  readonly state: 'under way' | 'done' | 'damaged';
}

interface FileUnderWay {
  readonly gunzip: SyncGunzip;
  readonly inputs: Uint8Array[];
  /** Inflated bytes carried over to the next step. */
  tail: Uint8Array;
  state: Inflated['state'];
}

/** Copying shared memory is eight times as fast if both offsets are equal modulo this. */
const alignment = 8;

export type InflaterTasks = ReturnType<typeof createInflater>;

/** The tasks of a thread that inflates any number of files concurrently. */
export function createInflater() {
  const files = new Map<number, FileUnderWay>();

  function fileOf({ file, isFirst }: InflateStep): FileUnderWay {
    if (isFirst) {
      const tail = new Uint8Array();
      files.set(file, { gunzip: createSyncGunzip(), inputs: [], tail, state: 'under way' });
    }
    const found = files.get(file);
    if (!found) throw new Error('the thread that was inflating this file has ended');
    return found;
  }

  return {
    inflate(step: InflateStep): Inflated {
      const file = fileOf(step);
      const { gunzip, inputs } = file;
      const output = new Uint8Array(step.output);
      output.set(file.tail);
      let bytes = file.tail.length;
      let usedUp = 0;
      if (step.input) inputs.push(step.input);
      while (file.state === 'under way' && bytes < output.length) {
        const input = inputs[0];
        if (!input && !step.isLast) break;
        const room = output.subarray(bytes);
        const { used, made, isDamaged } = input ? gunzip.write(input, room) : gunzip.end(room);
        bytes += made;
        if (isDamaged) file.state = 'damaged';
        else if (!input && made < room.length) file.state = 'done';
        else if (input && used < input.length) inputs[0] = input.subarray(used);
        else if (input) {
          inputs.shift();
          usedUp++;
        }
      }
      const tail = file.state === 'under way' ? bytes % alignment : 0;
      file.tail = output.slice(bytes - tail, bytes);
      return { bytes: bytes - tail, usedUp, state: file.state };
    },

    forgetFile({ file }: { file: number }): void {
      files.get(file)?.gunzip.close();
      files.delete(file);
    },
  };
}
