import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import { inline } from './prose.ts';
import { table } from './tables.ts';

export interface ProblemEntry {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
}

/** The `type` of a problem links to this anchor, so it must never change. */
export function problemAnchor(code: string): string {
  return `problem-${code}`;
}

const MEMBERS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['type', 'string', 'A link to the description of the problem below.'],
  ['title', 'string', 'A short name for the kind of problem, always the same for one `code`.'],
  ['status', 'integer', 'The HTTP status of the response.'],
  ['detail', 'string', 'What was wrong with this request, and what to send instead.'],
  ['code', 'string', 'The kind of problem, for programs: one of the codes below.'],
  [
    'request_id',
    'string',
    'Identifies the request in the logs of the service. Quote it when you ask for help.',
  ],
  [
    'errors',
    'array of objects',
    'For invalid input only: each error, with a `message` and a `pointer`. In the body the pointer is an RFC 6901 JSON pointer, elsewhere the name of the header or parameter.',
  ],
];

export function problemsSection(problems: readonly ProblemEntry[]): Html {
  return html`<section aria-labelledby="problems">
${heading(2, 'problems', 'Problems')}
<p>The response to a failed request is a problem (RFC 9457) with the media type <code>application/problem+json</code>. Programs should check <code>code</code>; <code>detail</code> is for people.</p>
${heading(3, 'problems.members', 'Members')}
${table(
  'Members of a problem',
  ['Name', 'Type', 'Description'],
  MEMBERS.map(([name, type, meaning]) => ({
    cells: [html`<code>${name}</code>`, type, inline(meaning)],
  })),
)}
${heading(3, 'problems.codes', 'Codes')}
${table(
  'Problem codes',
  ['Code', 'Title', 'Status', 'Meaning'],
  problems.map(({ code, title, status, meaning }) => ({
    anchor: problemAnchor(code),
    cells: [
      html`<a href="#${problemAnchor(code)}"><code>${code}</code></a>`,
      title,
      status,
      inline(meaning),
    ],
  })),
)}
</section>`;
}
