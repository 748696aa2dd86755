import { createHash } from 'node:crypto';
import type { Client } from './client.ts';
import type { History } from './history.ts';
import { deviceId } from './model/marketplace.ts';
import type { ModelPartner } from './model/partner.ts';
import { population } from './plan.ts';
import type { Random } from './random.ts';

const mostErased = 200;

/** Devices that the operator erased, of all partners. */
export interface Erased {
  /** In earlier rounds. Nothing may store them. */
  readonly before: Set<number>;
  /** In this round. A job may have counted them or not, but in the end nothing stores them. */
  readonly now: Set<number>;
}

export function noneErased(): Erased {
  return { before: new Set(), now: new Set() };
}

/** Erases a range of devices, all of them by their identifiers or all by their digests. */
export async function eraseSome(
  client: Client,
  token: string,
  { now }: Erased,
  name: string,
  random: Random,
  history: History,
): Promise<void> {
  const first = random(population);
  const numbers = Array.from({ length: 1 + random(mostErased) }, (_, i) => first + i);
  const isHashed = random(2) === 0;
  for (const number of numbers) now.add(number);
  history.note(
    `erases ${numbers.length} devices from ${first} on, by ${isHashed ? 'digest' : 'id'}`,
  );
  const identifiers = numbers.map((number) => (isHashed ? digestOf(number) : deviceId(number)));
  const json = { kind: 'delete', reference: name, identifiers };
  await client.send('POST', requestsPath, { token, json, idempotencyKey: name });
  history.countOperation('erase');
}

function digestOf(number: number): string {
  return createHash('sha256').update(deviceId(number).replaceAll('-', '')).digest('base64');
}

const requestsPath = '/admin/v1/privacy/requests';

/** Whether every erased device is gone from all answers. */
export async function areErased(client: Client, token: string): Promise<boolean> {
  for (const state of ['received', 'suppressed']) {
    const open = await client.get<unknown[]>(`${requestsPath}?state=${state}`, token);
    if (open.length > 0) return false;
  }
  return true;
}

/** What is erased in a round is erased for all rounds after it. */
export function endErasures({ before, now }: Erased, models: readonly ModelPartner[]): void {
  for (const model of models) forget(model, now);
  for (const number of now) before.add(number);
  now.clear();
}

/** Takes devices out of everything that the model knows of a partner. */
export function forget({ attributes, audiences }: ModelPartner, erased: ReadonlySet<number>): void {
  const sets = [
    ...[...attributes.values()].map(({ devices }) => devices),
    ...audiences.flatMap(({ devices, labels }) => [devices, ...labels.values()]),
  ];
  for (const devices of sets) for (const number of erased) devices.delete(number);
}

/** How many of the devices are in the set. */
export function countIn(devices: Iterable<number>, set: ReadonlySet<number>): number {
  let count = 0;
  for (const number of devices) if (set.has(number)) count++;
  return count;
}
