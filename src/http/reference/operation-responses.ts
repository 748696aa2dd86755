import { STATUS_CODES } from 'node:http';
import { codeBlock } from './code-samples.ts';
import type { Entry } from './document/contents.ts';
import { isJson, mediaExample } from './document/media-example.ts';
import type { Content, Response, Schemas } from './document/openapi-document.ts';
import { fieldOf, fieldsOf } from './document/schema-fields.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import { inline, prose } from './prose.ts';
import { mediaLead, outputTable, table } from './tables.ts';

/** The link to a problem code's explanation. Undefined for other text. */
export type ProblemLink = (code: string) => string | undefined;

export function responses(
  { anchor, title, operation }: Entry,
  schemas: Schemas,
  problemLink: ProblemLink,
): Html | undefined {
  const all = Object.entries(operation.responses ?? {});
  if (all.length === 0) return undefined;
  const answers = all.filter(([, response]) => !isProblem(response));
  const problems = all.filter(([, response]) => isProblem(response));
  const rows = problems.map(([status, { description }]) => ({
    cells: [statusWords(status), inline(description ?? '', problemLink)],
  }));
  return html`${heading(4, `${anchor}.responses`, 'Responses')}
${answers.map(([status, response]) => answer(title, status, response, schemas))}
${
  rows.length === 0
    ? undefined
    : html`<p class="lead">On failure, a <a href="#problems">problem</a>:</p>
${table(`Problems: ${title}`, ['Status', 'When'], rows)}`
}`;
}

/** The text of @fastify/swagger for a response without a description. */
const NO_DESCRIPTION = 'Default Response';

function isProblem({ content = {} }: Response): boolean {
  return Object.keys(content).includes('application/problem+json');
}

function statusWords(status: string): Html {
  const reason = STATUS_CODES[status];
  return html`<span class="status status-${status.slice(0, 1)}">${status}</span>${reason === undefined ? '' : ` ${reason}`}`;
}

function answer(title: string, status: string, response: Response, schemas: Schemas): Html {
  const headers = Object.entries(response.headers ?? {}).map(
    ([name, { schema = {}, description }]) =>
      fieldOf(name, schema, schemas, { required: true, description }),
  );
  return html`<h5>${statusWords(status)}</h5>
${prose(response.description === NO_DESCRIPTION ? '' : response.description)}
${contentTables(`${status}: ${title}`, response.content ?? {}, schemas)}
${headers.length === 0 ? undefined : html`<p class="lead">Headers</p>${outputTable(`Headers of ${status}: ${title}`, headers)}`}`;
}

function contentTables(label: string, content: Content, schemas: Schemas): Html[] {
  return Object.entries(content).map(([type, { schema = {} }]) => {
    const fields = fieldsOf(schema, schemas);
    return html`${mediaLead(type, schema, schemas)}
${fields.length === 0 ? undefined : outputTable(`${label}, ${type}`, fields)}`;
  });
}

export function sampleAnswer({ operation }: Entry, schemas: Schemas): Html | undefined {
  const answers = Object.entries(operation.responses ?? {});
  const [status, response] = answers.find(([code]) => code.startsWith('2')) ?? [];
  const { type = '', text } = mediaExample(response?.content ?? {}, schemas, 'answer') ?? {};
  if (status === undefined || text === undefined) return undefined;
  return html`<p class="lead">Response, ${statusWords(status)}</p>
${codeBlock(text, isJson(type) ? 'json' : 'text')}`;
}
