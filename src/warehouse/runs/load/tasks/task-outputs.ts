import { growArray } from '../../devices/grow-array.ts';
import { createPageSink, type PageSink } from '../../file/page-sink.ts';

/** The output of a task, which its thread keeps until it is known where to write it. */
interface TaskOutput {
  readonly sink: PageSink;
  /** Allocates memory for the lists. */
  allocateLists(words: number): Uint32Array;
  lists(): Uint32Array;
}

/** Outputs by id. Their memory is reused. */
export interface TaskOutputs {
  begin(id: number): TaskOutput;
  get(id: number): TaskOutput;
  end(id: number): void;
}

export function createTaskOutputs(): TaskOutputs {
  const kept = new Map<number, TaskOutput>();
  const spare: TaskOutput[] = [];
  return {
    begin(id) {
      const output = spare.pop() ?? createTaskOutput();
      output.sink.empty();
      output.allocateLists(0);
      kept.set(id, output);
      return output;
    },
    get(id) {
      const output = kept.get(id);
      if (!output) throw new Error('a loading thread ended and lost part of this load');
      return output;
    },
    end(id) {
      const output = kept.get(id);
      if (output) spare.push(output);
      kept.delete(id);
    },
  };
}

function createTaskOutput(): TaskOutput {
  let memory = new Uint32Array(0);
  let used = 0;
  return {
    sink: createPageSink(),
    allocateLists(words) {
      memory = growArray(memory, words);
      used = words;
      return memory.subarray(0, words);
    },
    lists: () => memory.subarray(0, used),
  };
}
