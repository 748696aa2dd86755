import { ProblemSchema } from '../server/problems.ts';
import type { Schema } from './document/openapi-document.ts';
import { fieldsOf } from './document/schema-fields.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import { inline } from './prose.ts';
import { outputTable, table } from './tables.ts';

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

export function problemsSection(problems: readonly ProblemEntry[]): Html {
  // The codes are left out of the members, because they have their own table.
  const fields = fieldsOf(ProblemSchema as Schema, {});
  const members = fields.map((field) => ({ ...field, constants: [] }));
  return html`<section aria-labelledby="problems">
${heading(2, 'problems', 'Problems')}
<p>The response to a failed request is a problem (RFC 9457) with the media type <code>application/problem+json</code>. Programs should check <code>code</code>; <code>detail</code> is for people.</p>
${heading(3, 'problems.members', 'Members')}
${outputTable('Members of a problem', members)}
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
