import { setTimeout as sleep } from 'node:timers/promises';
import { adminTokenOf } from './api.ts';

const path = '/admin/v1/warehouse';
/** The pause between two checks of the state of a move. */
const pauseMs = 500;
/** The pause between two moves. Loads start over after each one, and the tests have time limits. */
const restMs = 5_000;

interface Warehouse {
  readonly copy: { readonly state: string; readonly problem: string | null } | null;
}

/**
 * Keeps moving the device sets of a service from one place to the next, and deletes the old place each time.
 * Stopping throws if the last request was refused.
 */
export function keepMoving(
  url: string,
  dataDir: string,
  places: readonly string[],
): AsyncDisposable {
  const stopping = new AbortController();
  let moves = 0;
  let next = 1;
  let refused: string | undefined;
  const moving = move();

  async function move(): Promise<void> {
    const authorization = `Bearer ${await adminTokenOf(dataDir)}`;
    const call = async (json?: object): Promise<Warehouse | undefined> => {
      const headers = { authorization, ...(json && { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, {
        headers,
        ...(json && { method: 'POST', body: JSON.stringify(json) }),
      });
      refused = response.ok ? undefined : await response.text();
      return refused === undefined ? ((await response.json()) as Warehouse) : undefined;
    };
    while (!stopping.signal.aborted) {
      await sleep(pauseMs);
      // The test may have stopped the service.
      const state = (await call().catch(() => undefined))?.copy?.state;
      if (state?.endsWith('ing')) continue;
      if (state === 'done') {
        if (await call({ action: 'forget' }).catch(() => undefined)) moves++;
        await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => {});
      } else {
        // After a restart of the service, the device sets may be in that place already.
        await call({ action: 'copy', to: places[next++ % places.length]! }).catch(() => undefined);
      }
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await moving;
      process.stdout.write(`the device sets of a service were moved ${moves} times\n`);
      if (refused !== undefined) throw new Error(`a move was refused: ${refused}`);
    },
  };
}
