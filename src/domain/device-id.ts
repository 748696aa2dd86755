/** A device is an advertising identifier: a UUID, stored as 16 bytes. */
export const deviceBytes = 16;

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const hashShape = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;

export type IdentifierFault = 'malformed_id' | 'hashed_id' | 'zeroed_id';

/** Parses an identifier into `into`, or returns what is wrong with it. `into` is then undefined. */
export function parseDeviceId(text: string, into: Uint8Array): IdentifierFault | null {
  if (!uuidShape.test(text)) return hashShape.test(text) ? 'hashed_id' : 'malformed_id';
  let at = 0;
  let anyBit = 0;
  for (let i = 0; i < deviceBytes; i++) {
    if (text[at] === '-') at++;
    const byte = (hexDigit(text, at) << 4) | hexDigit(text, at + 1);
    into[i] = byte;
    anyBit |= byte;
    at += 2;
  }
  // A phone reports this identifier if its owner opted out of tracking.
  return anyBit === 0 ? 'zeroed_id' : null;
}

/** The low four bits of 0-9 are the value of the digit, those of A-F and a-f the value minus nine. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return (code & 0x0f) + (code > 0x39 ? 9 : 0);
}

export function formatDeviceId(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, deviceBytes).toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
