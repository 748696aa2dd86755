import type { AuditedWrite, ObjectAction } from '../../../records/database/audit-entries.ts';
import { readContent } from '../../content.ts';
import type { DiskStore } from '../../disk/disk-store.ts';
import type { Headers, Payload } from '../body/payload.ts';
import { S3Error } from '../wire/s3-error.ts';
import { buildXml, type ParsedElement, parseXml, type XmlElement } from '../wire/xml.ts';

/** One parsed and authenticated request. */
export interface Call {
  readonly method: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** By lower-case name. Each character of a value is one byte, as Node represents them. */
  readonly headers: Headers;
  /** The caller can access only keys that begin with it. */
  readonly prefix: string;
  /** What the audit log says of the caller, if it changes objects and the answer has this status. */
  audited(action: ObjectAction, status: number): AuditedWrite;
  /** The body, verified against the headers. Call at most once, and then read it. */
  payload(maximumBytes: number, headers: Headers): Payload;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

/** The bucket that all operations work on. */
export interface BucketContext {
  readonly store: DiskStore;
  readonly bucket: string;
  readonly region: string;
}

/** The operator owns every object. */
export const owner = { ID: 'tributary', DisplayName: 'tributary' };

export type Operation = (call: Call, context: BucketContext) => Promise<Answer>;

const maximumXmlBytes = 2 * 1024 ** 2;

/** The only access check: a caller can access only its prefix. */
export function mayAccess({ prefix }: Call, key: string): boolean {
  return key.startsWith(prefix);
}

export function requireAccess(call: Call, key: string): void {
  if (!mayAccess(call, key)) throw new S3Error('AccessDenied');
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
  const { content } = call.payload(maximumXmlBytes, headers);
  return parseXml((await readContent(content)).toString(), root);
}

export function quoted(etag: string): string {
  return `"${etag}"`;
}

export function unquoted(etag: string): string {
  return etag.replace(/^(?:W\/)?"(.*)"$/, '$1');
}
