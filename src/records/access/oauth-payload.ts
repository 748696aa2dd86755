import { createHash } from 'node:crypto';
import type { Sealing } from '../database/sealing.ts';

/** How the authorization server's memory is kept: found by a hash, and sealed. */

/** What the library would have kept, whatever that is. */
export type OauthPayload = Readonly<Record<string, unknown>>;

/** The ids have 126 random bits or more, so a plain hash of them cannot be searched. */
export function hashOauthId(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

export function sealPayload(
  sealing: Sealing,
  model: string,
  idHash: Buffer,
  payload: OauthPayload,
): Buffer {
  return sealing.seal(JSON.stringify(payload), contextOf(model, idHash));
}

export function openPayload(
  sealing: Sealing,
  model: string,
  idHash: Buffer,
  sealed: Buffer,
): OauthPayload {
  return JSON.parse(sealing.open(sealed, contextOf(model, idHash)));
}

function contextOf(model: string, idHash: Buffer): string {
  return `oauth ${model} ${idHash.toString('hex')}`;
}
