import { compareDevices, wordsPerDevice } from './device-words.ts';
import type { Pause } from './pause.ts';
import type { OpenRun } from './run-file-reader.ts';

/**
 * What of `devices` (ascending) the run does not hold; moved to the front of the same memory.
 * Only pages in whose range a device falls are read, so that few devices cost few pages.
 */
export async function subtractRun(
  devices: Uint32Array,
  run: OpenRun,
  pause: Pause,
): Promise<Uint32Array> {
  const progress: Progress = { devices, next: 0, kept: 0 };
  for (const page of run.pages) {
    keepBelow(progress, page.first);
    if (progress.next === devices.length) break;
    if (compareDevices(devices, progress.next, page.last, 0) > 0) continue;
    dropHeld(progress, await run.readPage(page));
    await pause();
  }
  devices.copyWithin(progress.kept, progress.next);
  return devices.subarray(0, progress.kept + devices.length - progress.next);
}

/** Devices before `next` are decided; those kept of them stand before `kept`. */
interface Progress {
  readonly devices: Uint32Array;
  next: number;
  kept: number;
}

function keepBelow(progress: Progress, bound: Uint32Array): void {
  const { devices } = progress;
  let next = progress.next;
  while (next < devices.length && compareDevices(devices, next, bound, 0) < 0) {
    next += wordsPerDevice;
  }
  devices.copyWithin(progress.kept, progress.next, next);
  progress.kept += next - progress.next;
  progress.next = next;
}

/** Decides all devices up to the last one that the page holds. */
function dropHeld(progress: Progress, held: Uint32Array): void {
  const { devices } = progress;
  let { next, kept } = progress;
  let at = 0;
  while (at < held.length && next < devices.length) {
    const order = compareDevices(held, at, devices, next);
    if (order <= 0) at += wordsPerDevice;
    if (order === 0) next += wordsPerDevice;
    if (order > 0) {
      for (let word = 0; word < wordsPerDevice; word++) devices[kept++] = devices[next++]!;
    }
  }
  progress.next = next;
  progress.kept = kept;
}
