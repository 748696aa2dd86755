import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { displayNamePattern } from '../../domain/display-name.ts';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';

/** Schemas and helpers shared by several routes. */

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds.',
  examples: ['2026-01-31T12:00:00.000Z'],
});

/** Text without control characters. */
export const noControlCharacters = '^[^\\p{Cc}\\p{Cs}]*$';

/** A name of 1 to 255 characters. The records trim and compose it. */
export function DisplayName(what: string, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: limits.nameCharacters.most,
    pattern: displayNamePattern,
    description: `${what}. No control characters, and none that are invisible or change the direction of text. Spaces around it are removed.`,
    examples: [example],
  });
}

export function Nullable<T extends TSchema>(
  schema: T,
  words: { description?: string; examples?: unknown[] } = {},
) {
  return Type.Union([schema, Type.Null()], words);
}

export const LastUsedAt = Nullable(Timestamp, {
  description: 'Accurate to the minute. Null if never used.',
});

export const DisabledAt = Nullable(Timestamp, {
  description: 'Null if access is enabled.',
  examples: [null],
});

export function Id(description: string) {
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1] });
}

/** In a path an id may be any text, so that a malformed id gives 404, like an unknown one. */
export function PathId(description: string) {
  return Type.String({ description, examples: ['1'] });
}

export function parseId(text: string, what: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw notFound(what);
  return id;
}

/** The same message for ids that are unknown, malformed or belong to another partner. */
export function notFound(what: string): TributaryError {
  return new TributaryError('not_found', `No such ${what}.`);
}

/** The record, or `true` from a write that changed one. Undefined and `false` are not found. */
export function found<T>(record: T | undefined | false, what: string): T {
  if (record === undefined || record === false) throw notFound(what);
  return record;
}

/** The path without the query, which may contain private data. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}
