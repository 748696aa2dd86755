import { quotaExceeded } from '../../domain/storage-quota.ts';
import type { ObjectIndex } from '../../records/objects/object-index.ts';

type Reserve = (key: string, bytes: number) => Promise<Disposable>;

const nothing: Disposable = { [Symbol.dispose]() {} };

/** The bytes of uploads in progress count towards quotas, because they are already written to disk. */
export function createReservations(index: Pick<ObjectIndex, 'quotaOf'>): Reserve {
  const reserved = new Map<number, number>();

  function add(partnerId: number, bytes: number): void {
    const sum = (reserved.get(partnerId) ?? 0) + bytes;
    if (sum === 0) reserved.delete(partnerId);
    else reserved.set(partnerId, sum);
  }

  return async (key, bytes) => {
    const found = await index.quotaOf(key);
    if (!found) return nothing;
    const { partnerId, quota } = found;
    const used = found.bytes + (reserved.get(partnerId) ?? 0);
    if (used + bytes > quota) throw quotaExceeded(quota, used, bytes);
    add(partnerId, bytes);
    return { [Symbol.dispose]: () => add(partnerId, -bytes) };
  };
}
