/** Markup that is safe in a page. Only `html` creates it, so a plain string is always escaped. */
class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

export type { Html };

export type Interpolated = Html | string | number | undefined | readonly Interpolated[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: Interpolated): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
  if (typeof value === 'number') return String(value);
  return value.map(markupOf).join('');
}

/** Escapes interpolated values unless they are markup. Quote all attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(markupOf)));
}
