import { type Html, html } from './html.ts';

/** A line of text in which `backticks` mark code. */
export function inline(text: string, link?: (code: string) => string | undefined): Html {
  const pieces = text.split(/`([^`]+)`/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    const target = link?.(piece);
    return target === undefined
      ? html`<code>${piece}</code>`
      : html`<a href="${target}"><code>${piece}</code></a>`;
  });
  return html`${pieces}`;
}

/** Paragraphs, separated by blank lines. */
export function prose(text: string | undefined): Html {
  const paragraphs = (text ?? '').split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return html`${paragraphs.map((paragraph) => html`<p>${inline(paragraph.trim())}</p>\n`)}`;
}
