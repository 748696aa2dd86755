import type { paths } from '../../../../src/client/openapi.ts';
import type { ConsoleApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import { count, percent } from '../../parts/format.ts';

const historyPath = '/v2/firstparty/audience/{audience_id}/history';

/** A change of an audience's figures. */
export type Change =
  paths[typeof historyPath]['get']['responses'][200]['content']['application/json'][number];

/** The latest change first. */
export function loadHistory(api: ConsoleApi, audienceId: number): Promise<Change[]> {
  return answerOf(api.GET(historyPath, { params: { path: { audience_id: String(audienceId) } } }));
}

const words: Record<Change['reasons'][number], string> = {
  load: 'load',
  append: 'append',
  clear: 'clear',
  privacy: 'privacy request',
  attribute_import: 'attribute import',
  attribute_deletion: 'attribute deletion',
};

/** Append, attribute import */
export function reasonText({ reasons }: Pick<Change, 'reasons'>): string {
  const text = reasons.map((reason) => words[reason]).join(', ');
  return text === '' ? 'No reason recorded' : text.charAt(0).toUpperCase() + text.slice(1);
}

export function rateText({ match_rate }: Pick<Change, 'match_rate'>): string {
  return match_rate === null ? '–' : percent(match_rate);
}

/** The figures in the tip of the plot. */
export function tipLines(change: Change): string[] {
  return [
    `${count(change.unique_devices)} unique devices`,
    `${count(change.matched_devices)} matched, ${rateText(change)}`,
  ];
}

/** The attributes that had the most devices of the audience. */
export function topText({ top_attributes }: Pick<Change, 'top_attributes'>): string {
  return top_attributes.length === 0
    ? '–'
    : top_attributes
        .map(({ name, audience_devices }) => `${name} (${count(audience_devices)})`)
        .join(', ');
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Texts from left to right, without those that overlap a later one. */
export function fitTexts<T extends Span>(texts: readonly T[]): T[] {
  const kept: T[] = [];
  let free = Number.POSITIVE_INFINITY;
  for (const text of texts.toReversed()) {
    if (text.to > free) continue;
    kept.unshift(text);
    free = text.from;
  }
  return kept;
}

const dayMs = 86_400_000;

/** The times of an axis: dates if it is longer than some days, seconds if it is shorter than an hour. */
export function timeFormat(spanMs: number): (at: Date) => string {
  const day = { day: 'numeric', month: 'short' } as const;
  const format = new Intl.DateTimeFormat(
    'en-GB',
    spanMs > 300 * dayMs
      ? { ...day, year: 'numeric' }
      : spanMs > 4 * dayMs
        ? day
        : spanMs > dayMs / 24
          ? { ...day, hour: '2-digit', minute: '2-digit' }
          : { timeStyle: 'medium' },
  );
  return (at) => format.format(at);
}
