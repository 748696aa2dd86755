import type { DiskStore } from '../../disk/disk-store.ts';
import type { Headers, Payload } from '../body/payload.ts';
import { S3Error } from '../wire/s3-error.ts';
import { buildXml, type ParsedElement, parseXml, type XmlElement } from '../wire/xml.ts';

/** One request, read and authenticated: what an operation works from. */
export interface Call {
  readonly method: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** By lower-case name. Values are bytes, one a character, as Node hands them on. */
  readonly headers: Headers;
  /** What every key that the caller may reach begins with. */
  readonly prefix: string;
  /**
   * The body, held to what the headers say of it; asked for at most once, and only by who will
   * read it.
   */
  payload(maximumBytes: number, headers: Headers): Payload;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

/** What all operations work on. */
export interface Site {
  readonly store: DiskStore;
  readonly bucket: string;
  readonly region: string;
}

/** Everything in the bucket is the operator's. */
export const owner = { ID: 'tributary', DisplayName: 'tributary' };

export type Operation = (call: Call, site: Site) => Promise<Answer>;

/** The most that one upload may have: an object at once, or a part. */
export const maximumUploadBytes = 5 * 1024 ** 3;
const maximumXmlBytes = 2 * 1024 ** 2;

/** The only place that says what a caller may touch: nothing outside of its prefix. */
export function mayReach({ prefix }: Call, key: string): boolean {
  return key.startsWith(prefix);
}

export function requireReach(call: Call, key: string): void {
  if (!mayReach(call, key)) throw new S3Error('AccessDenied');
}

export function xmlAnswer(
  root: string,
  content: XmlElement,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', ...headers },
    body: buildXml(root, content),
  };
}

export async function readXml(
  call: Call,
  root: string,
  headers = call.headers,
): Promise<ParsedElement> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of call.payload(maximumXmlBytes, headers).content) chunks.push(chunk);
  return parseXml(Buffer.concat(chunks).toString(), root);
}

export function quoted(etag: string): string {
  return `"${etag}"`;
}

export function unquoted(etag: string): string {
  return etag.replace(/^(?:W\/)?"(.*)"$/, '$1');
}
