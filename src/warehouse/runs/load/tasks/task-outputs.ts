import { grown } from '../../devices/grow-array.ts';
import { createPageSink, type PageSink } from '../../file/page-sink.ts';

/** What a task has made, kept by its thread until it is said where it goes. */
interface Output {
  readonly sink: PageSink;
  /** Memory for so many words of lists. */
  makeLists(words: number): Uint32Array;
  lists(): Uint32Array;
}

/** Outputs by name; their memory is used again. */
export interface Outputs {
  begin(name: number): Output;
  get(name: number): Output;
  end(name: number): void;
}

export function createOutputs(): Outputs {
  const kept = new Map<number, Output>();
  const spare: Output[] = [];
  return {
    begin(name) {
      const output = spare.pop() ?? createOutput();
      output.sink.empty();
      output.makeLists(0);
      kept.set(name, output);
      return output;
    },
    get(name) {
      const output = kept.get(name);
      if (!output) throw new Error('the thread that held a part of this load has ended');
      return output;
    },
    end(name) {
      const output = kept.get(name);
      if (output) spare.push(output);
      kept.delete(name);
    },
  };
}

function createOutput(): Output {
  let memory = new Uint32Array(0);
  let used = 0;
  return {
    sink: createPageSink(),
    makeLists(words) {
      memory = grown(memory, words);
      used = words;
      return memory.subarray(0, words);
    },
    lists: () => memory.subarray(0, used),
  };
}
