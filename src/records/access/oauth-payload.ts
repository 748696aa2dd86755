import { createHash } from 'node:crypto';
import type { Sealing } from '../database/sealing.ts';

/** State that the OAuth library stores; its content is opaque to us. It is stored encrypted. */
export type OauthPayload = Readonly<Record<string, unknown>>;

/** Ids have at least 126 random bits, so a plain hash cannot be reversed by guessing. */
export function hashOauthId(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

export function sealPayload(
  sealing: Sealing,
  model: string,
  idHash: Buffer,
  payload: OauthPayload,
): Buffer {
  return sealing.seal(JSON.stringify(payload), oauthContext(model, idHash.toString('hex')));
}

export function openPayload(
  sealing: Sealing,
  model: string,
  idHash: Buffer,
  sealed: Buffer,
): OauthPayload {
  return JSON.parse(sealing.open(sealed, oauthContext(model, idHash.toString('hex'))));
}

/** What a payload is bound to when it is encrypted. The hash is in hex. */
export function oauthContext(model: string, idHash: string): string {
  return `oauth ${model} ${idHash}`;
}
