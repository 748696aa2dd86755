import { deviceNumber } from './devices.ts';

/** A file as the test knows it: which devices get or lose which keys. */
export interface ModelFile {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly keys: readonly string[];
  /** Devices that are removed from these keys before the others are added. */
  readonly removed: readonly number[];
}

export type ModelJob =
  | { readonly kind: 'merge' | 'replace' | 'dry run'; readonly file: ModelFile }
  | { readonly kind: 'delete'; readonly keys: readonly string[] }
  | { readonly kind: 'missing' };

/** The devices of each attribute, by foreign key. */
export type ModelState = Map<string, Set<number>>;

export function contentOf({ first, last, keys, removed }: ModelFile): string {
  const list = keys.join('|');
  const lines = removed.map((number) => `${deviceNumber(number)},1,DE,1,${list}\n`);
  for (let number = first; number <= last; number++) {
    lines.push(`${deviceNumber(number)},3,US,0,${list}\n`);
  }
  return lines.join('');
}

/** Applies a job to the state, by the documented rules. */
export function applyJob(state: ModelState, job: ModelJob): void {
  switch (job.kind) {
    case 'missing':
    case 'dry run':
      return;
    case 'delete':
      for (const key of job.keys) held(state, key).clear();
      return;
    case 'merge':
    case 'replace':
      for (const key of job.file.keys) {
        const devices = held(state, key);
        if (job.kind === 'replace') devices.clear();
        for (const number of job.file.removed) devices.delete(number);
        for (let number = job.file.first; number <= job.file.last; number++) devices.add(number);
      }
  }
}

function held(state: ModelState, key: string): Set<number> {
  const devices = state.get(key);
  if (!devices) throw new Error(`the model has no attribute ${key}`);
  return devices;
}
