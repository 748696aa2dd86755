import { resolve, type Schema, type Schemas } from './document/openapi-document.ts';
import { type Field, fieldsOf } from './document/schema-fields.ts';
import { typeInWords } from './document/schema-words.ts';
import { type Html, html, type Interpolated } from './html.ts';
import { inline, prose } from './prose.ts';

export interface Row {
  readonly anchor?: string;
  readonly cells: readonly Interpolated[];
}

/**
 * A table whose first column names the row. On a phone the stylesheet stacks its cells. Some
 * browsers then no longer treat it as a table, so roles state the semantics again.
 */
export function table(label: string, columns: readonly string[], rows: readonly Row[]): Html {
  return html`<table class="columns-${columns.length}" role="table" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${column}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ anchor, cells: [head, ...cells] }) =>
    html`<tr role="row"${anchor === undefined ? undefined : html` id="${anchor}"`}><th role="rowheader" scope="row">${head}</th>${cells.map(
      (cell) => html`<td role="cell">${cell}</td>`,
    )}</tr>\n`,
)}</tbody>
</table>`;
}

/** Fields that a caller sends, each marked as required or optional. */
export function inputTable(label: string, fields: readonly Field[]): Html {
  const rows = fields.map((field) => ({
    cells: [name(field), field.type, field.required ? requiredMark : 'optional', details(field)],
  }));
  return table(label, ['Name', 'Type', 'Required', 'Description'], rows);
}

const requiredMark = html`<strong class="required">required</strong>`;

/** Fields that a caller receives. Only fields that may be absent are marked. */
export function outputTable(label: string, fields: readonly Field[]): Html {
  const rows = fields.map((field) => ({
    cells: [
      name(field),
      field.required ? field.type : `${field.type}, may be absent`,
      details(field),
    ],
  }));
  return table(label, ['Name', 'Type', 'Description'], rows);
}

function name(field: Field): Html {
  const parent =
    field.parent === '' ? undefined : html`<span class="parent">${field.parent}</span><wbr>`;
  return html`<code>${parent}${field.name}</code>`;
}

function details({ description, limits, constants }: Field): Html {
  const words = limits.map(
    ({ words, code }) =>
      html`<li>${words}${code === undefined ? undefined : html` <code>${code}</code>`}</li>`,
  );
  const values = constants.map(
    ({ value, meaning }) =>
      html`<li><code>${JSON.stringify(value)}</code>${meaning === undefined ? undefined : html` ${inline(meaning)}`}</li>`,
  );
  return html`${inline(description)}${
    values.length === 0 ? undefined : html`<ul class="values">${values}</ul>`
  }${words.length === 0 ? undefined : html`<ul class="limits">${words}</ul>`}`;
}

/** The line above a body's fields: its media type, and its type unless it is one object. */
export function mediaLead(type: string, schema: Schema, schemas: Schemas): Html {
  const words = typeInWords(schema, schemas);
  if (fieldsOf(schema, schemas).length === 0) {
    return html`<p class="lead"><code>${type}</code>, ${words}</p>
${prose(resolve(schema, schemas).description)}`;
  }
  const each = words.startsWith('array') ? `, ${words}, each:` : '';
  return html`<p class="lead"><code>${type}</code>${each}</p>`;
}
