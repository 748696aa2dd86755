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

/** The `type` of a problem is a link to this anchor, so it may never change. */
export function problemAnchor(code: string): string {
  return `problem-${code}`;
}

const MEMBERS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['type', 'string', 'A link to the row of this problem below.'],
  ['title', 'string', 'The kind of problem in a few words, the same every time.'],
  ['status', 'integer', 'The HTTP status of the answer.'],
  ['detail', 'string', 'What was wrong this time, and what to send instead.'],
  ['code', 'string', 'The kind of problem for programs: one of the codes below.'],
  [
    'request_id',
    'string',
    'Names this request in the logs of the service. Quote it when you ask for help.',
  ],
  [
    'errors',
    'array of objects',
    'For invalid input only: each fault, with a `message` and a `pointer` to its place: in the body an RFC 6901 pointer, elsewhere its name.',
  ],
];

export function problemsSection(problems: readonly ProblemEntry[]): Html {
  return html`<section aria-labelledby="problems">
${heading(2, 'problems', 'Problems')}
<p>A request that fails is answered with a problem (RFC 9457) of the type <code>application/problem+json</code>. Decide by <code>code</code>, show people <code>detail</code>.</p>
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
