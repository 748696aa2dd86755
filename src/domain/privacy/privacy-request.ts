/** What people may ask about the data of their devices. */
export const privacyKinds = ['delete', 'opt_out', 'access'] as const;
export type PrivacyKind = (typeof privacyKinds)[number];

/** What requests are about: everything stored, or attributes only. */
export const privacyScopes = ['everything', 'marketplace'] as const;
export type PrivacyScope = (typeof privacyScopes)[number];

/** How far a request is. Only `delete` and `opt_out` go through the two in the middle. */
export const privacyStates = ['received', 'suppressed', 'removed', 'done'] as const;
export type PrivacyState = (typeof privacyStates)[number];

/** A device as a request names it: by its 32 hexadecimal digits, or by the SHA-256 of these. */
export type RequestedDevice = { readonly device: string } | { readonly digest: Uint8Array };

const deviceDigits = 32;
const sha1Digits = 40;
const sha256Digits = 64;
const base64Sha256 = /^[A-Za-z0-9+/]{43}=$/;

/** Reads an identifier in any usual spelling, or returns what is wrong with it. */
export function parseRequestedDevice(text: string): RequestedDevice | string {
  const trimmed = text.trim();
  if (base64Sha256.test(trimmed)) return { digest: Buffer.from(trimmed, 'base64') };
  const digits = trimmed
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replaceAll(/[\s{}()-]/g, '');
  if (!/^[0-9a-f]+$/.test(digits)) return wanted;
  switch (digits.length) {
    case deviceDigits:
      return /^0+$/.test(digits)
        ? 'is all zeros, which phones send if their owner opted out; it names no device'
        : { device: digits };
    case sha256Digits:
      return { digest: Buffer.from(digits, 'hex') };
    case sha1Digits:
      return 'looks like a SHA-1, but only SHA-256 is known here';
    default:
      return wanted;
  }
}

const wanted =
  'must be a UUID, or the SHA-256 of its 32 lower-case digits in Base64 or hexadecimal';
