import type { Client } from './client.ts';
import type { History } from './history.ts';
import { until } from './until.ts';
import type { World } from './world/world.ts';

const path = '/admin/v1/warehouse';

interface Warehouse {
  readonly copy: { readonly state: string; readonly problem: string | null } | null;
}

/** Moves the device sets between the places of the world, as `tributary warehouse copy` does. */
export function createMoves(
  { places, adminToken: token }: World,
  client: Client,
  history: History,
) {
  let at = 0;

  /** The response may be lost, so the state of the copy decides whether the request is sent again. */
  async function reach(state: 'done' | 'forgotten', json: object): Promise<void> {
    let last: string | null | undefined;
    try {
      await until(
        `the copy to be ${state}`,
        async () => {
          const { copy } = await client.get<Warehouse>(path, token);
          last = copy?.problem ?? last;
          if (copy?.state === state) return true;
          if (copy?.state.endsWith('ing')) return false;
          const answer = await client.attempt('POST', path, { token, json });
          if (answer && answer.status >= 300) last = answer.text;
          return false;
        },
        500,
      );
    } catch (cause) {
      throw new Error(`the device sets were not moved to place ${at}: ${last}`, { cause });
    }
  }

  /** Returns when the old place is deleted. */
  async function moveTo(place: number): Promise<void> {
    at = place;
    history.note(`move of the device sets to place ${place} begins`);
    await reach('done', { action: 'copy', to: places[place]! });
    history.note(`the device sets are in place ${place}`);
    await reach('forgotten', { action: 'forget' });
    history.note('the old place is deleted');
    history.countMove(place);
  }

  return {
    next: () => moveTo((at + 1) % places.length),
    /** The run ends in the first place, where every device is compared. */
    async home(): Promise<void> {
      if (at !== 0) await moveTo(0);
    },
  };
}
