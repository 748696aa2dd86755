import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { S3Error } from './s3-error.ts';

type XmlValue = string | number | boolean | Date | XmlElement | readonly XmlValue[];
/** Members become elements in their order; an array becomes one element for each item. */
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

/** S3's errors, alone of its answers, have no namespace. */
export function buildErrorXml(content: XmlElement): string {
  return document('Error', content);
}

function document(root: string, content: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`;
}

/** Control characters are references, as in S3, so that a line break survives and the rest is visible. */
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
  // A list of 10,000 parts has two entities in each; there are none but the built-in ones.
  processEntities: { maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
  isArray: (name) => name === 'Part' || name === 'Object',
});

// The parser passes over references to characters that XML does not allow, which would make of the
// key they stand in another key.
const forbiddenReference = /&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));/i;

/** The content of the root element, which must be the one expected. */
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

/** Undefined if there is no such element. */
export function textOf(parent: ParsedElement, name: string): string | undefined {
  const value = parent[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new S3Error('MalformedXML');
}

function isElement(value: unknown): value is ParsedElement {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
