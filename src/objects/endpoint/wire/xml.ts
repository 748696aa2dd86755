import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { S3Error } from './s3-error.ts';

type XmlValue = string | number | boolean | Date | XmlElement | readonly XmlValue[];
/** Members become elements in order; an array becomes one element per item. */
export interface XmlElement {
  readonly [name: string]: XmlValue | undefined;
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

const builder = new XMLBuilder({
  ignoreAttributes: false,
  processEntities: false,
  tagValueProcessor: (_name, value) =>
    escapeText(value instanceof Date ? value.toISOString() : String(value)),
});

export function buildXml(root: string, content: XmlElement): string {
  return document(root, { '@_xmlns': namespace, ...content });
}

/** Only S3's error responses have no namespace. */
export function buildErrorXml(content: XmlElement): string {
  return document('Error', content);
}

function document(root: string, content: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`;
}

/** Writes control characters as references, as S3 does, so that parsers keep line breaks. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(
      /\p{Cc}/gu,
      (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
    );
}

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  removeNSPrefix: true,
  htmlEntities: true,
  // A list of 10,000 parts has two entities in each. Only built-in entities are allowed.
  processEntities: { maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
  isArray: (name) => name === 'Part' || name === 'Object',
});

// The parser ignores references to characters that XML forbids, which would change the key.
const forbiddenReference = /&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));/i;

/** Returns the content of the root element, which must have the given name. */
export function parseXml(text: string, root: string): ParsedElement {
  if (/<!DOCTYPE/i.test(text) || forbiddenReference.test(text)) throw new S3Error('MalformedXML');
  let parsed: unknown;
  try {
    parsed = parser.parse(text, true);
  } catch {
    throw new S3Error('MalformedXML');
  }
  const content = isElement(parsed) ? parsed[root] : undefined;
  if (!isElement(content)) throw new S3Error('MalformedXML');
  return content;
}

export type ParsedElement = Readonly<Record<string, unknown>>;

export function elementsOf(parent: ParsedElement, name: string): ParsedElement[] {
  const children = parent[name];
  if (!Array.isArray(children) || !children.every(isElement)) throw new S3Error('MalformedXML');
  return children;
}

/** Undefined if the element is missing. */
export function textOf(parent: ParsedElement, name: string): string | undefined {
  const value = parent[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new S3Error('MalformedXML');
}

function isElement(value: unknown): value is ParsedElement {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
