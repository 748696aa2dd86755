import { type Html, html } from './html.ts';

/** The permalink is beside the heading, because screen readers would read it aloud inside. */
export function heading(level: 2 | 3 | 4, anchor: string, text: string): Html {
  const title = {
    2: html`<h2 id="${anchor}">${text}</h2>`,
    3: html`<h3 id="${anchor}">${text}</h3>`,
    4: html`<h4 id="${anchor}">${text}</h4>`,
  }[level];
  return html`<div class="heading">${title}<a class="permalink" href="#${anchor}" aria-label="Link to ${text}">#</a></div>`;
}
