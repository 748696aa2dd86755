import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a text contains another, ignoring case. Matches both cases of each letter explicitly, because
 * our database has no locale and so folds only ASCII letters.
 */
export function hasText(column: RawBuilder<unknown>, search: string): RawBuilder<boolean> {
  const pattern = Array.from(search, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    return `(?:${[...cases].map(escapeRegExp).join('|')})`;
  });
  return sql<boolean>`${column} ~ ${pattern.join('')}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
