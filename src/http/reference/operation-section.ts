import { codeSamples, requestSamples } from './code-samples.ts';
import type { Entry } from './document/contents.ts';
import { choicesOfCredentials } from './document/credentials.ts';
import {
  type OpenApiDocument,
  resolve,
  type Schemas,
  schemasOf,
} from './document/openapi-document.ts';
import { fieldOf, fieldsOf } from './document/schema-fields.ts';
import { requestExample } from './examples/request-example.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';
import { type ProblemLink, responses, sampleAnswer } from './operation-responses.ts';
import { prose } from './prose.ts';
import { inputTable, mediaLead } from './tables.ts';
import { tryForm } from './try-form.ts';

export function operationSection(
  document: OpenApiDocument,
  entry: Entry,
  problemLink: ProblemLink,
): Html {
  const { anchor, title, operation } = entry;
  const schemas = schemasOf(document);
  return html`<article class="operation" aria-labelledby="${anchor}">
${heading(3, anchor, title)}
<p class="endpoint">${methodBadge(entry.method)} <code class="path">${entry.path}</code></p>
${entry.others.map(otherAddress)}
<div class="columns">
<div class="description">
${prose(operation.description)}
${authentication(document, entry)}
${parameters(entry, schemas)}
${body(entry, schemas)}
${responses(entry, schemas, problemLink)}
</div>
<div class="examples">
${heading(4, `${anchor}.example`, 'Example')}
${codeSamples(`Example: ${title}`, requestSamples(requestExample(document, entry)))}
${sampleAnswer(entry, schemas)}
${tryForm(document, entry)}
</div>
</div>
</article>`;
}

function otherAddress({ anchor, path }: Entry['others'][number]): Html {
  return html`<p class="endpoint" id="${anchor}"><span class="label">Also at</span> <code class="path">${path}</code></p>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method method-${method}">${method.toUpperCase()}</span>`;
}

function authentication(document: OpenApiDocument, { operation }: Entry): Html {
  const choices = choicesOfCredentials(document, operation).map((credentials) => {
    const links = credentials.map(
      ({ anchor, header, prefix, variable }) =>
        html`<a href="#${anchor}"><code>${header}: ${prefix}$${variable}</code></a>`,
    );
    return links.length === 0 ? html`none` : joined(links, ' and ');
  });
  const needed = choices.length === 0 ? html`none` : joined(choices, ', or ');
  return html`<p class="authentication"><span class="label">Authentication</span> ${needed}</p>`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}

const PLACES: Readonly<Record<string, string>> = {
  path: 'in the path',
  query: 'in the query',
  header: 'in a header',
};

function parameters({ anchor, title, operation }: Entry, schemas: Schemas): Html | undefined {
  if (operation.parameters === undefined || operation.parameters.length === 0) return undefined;
  const fields = operation.parameters.map((one) => {
    const field = fieldOf(one.name, one.schema ?? {}, schemas, {
      required: one.required === true,
      description: one.description,
    });
    return { ...field, type: `${field.type}, ${PLACES[one.in] ?? one.in}` };
  });
  return html`${heading(4, `${anchor}.parameters`, 'Parameters')}
${inputTable(`Parameters: ${title}`, fields)}`;
}

function body({ anchor, title, operation }: Entry, schemas: Schemas): Html | undefined {
  if (operation.requestBody === undefined) return undefined;
  const { content, description, required } = operation.requestBody;
  const types = Object.entries(content).map(([type, { schema = {} }]) => {
    const fields = fieldsOf(schema, schemas);
    const closed = resolve(schema, schemas).additionalProperties === false;
    return html`${mediaLead(type, schema, schemas)}
${fields.length === 0 ? undefined : inputTable(`Body: ${title}, ${type}`, fields)}
${closed ? html`<p class="aside">Unknown fields are refused.</p>` : undefined}`;
  });
  return html`${heading(4, `${anchor}.body`, 'Body')}
${required === true ? undefined : html`<p>The body is optional.</p>`}
${prose(description)}
${types}`;
}
