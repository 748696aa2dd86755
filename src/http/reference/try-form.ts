import { type Entry, isWrite } from './document/contents.ts';
import { choicesOfCredentials, type RequiredCredential } from './document/credentials.ts';
import { isJson, mediaExample } from './document/media-example.ts';
import {
  type OpenApiDocument,
  type Parameter,
  type Schemas,
  schemasOf,
} from './document/openapi-document.ts';
import { textOf } from './examples/request-example.ts';
import { type Html, html } from './html.ts';

/**
 * The form with which the script sends a request. It is a template, so a page without script shows
 * nothing of it. Undefined if only a session of the console may call the operation.
 */
export function tryForm(document: OpenApiDocument, entry: Entry): Html | undefined {
  const credentials = credentialsToEnter(document, entry);
  if (credentials === undefined) return undefined;
  const { method, path, operation } = entry;
  const schemas = schemasOf(document);
  return html`<template class="try" data-method="${method.toUpperCase()}" data-path="${path}" data-accept="${acceptOf(entry)}"${isWrite(entry) ? html` data-asks` : undefined}>
${credentials.map(({ credential, isOptional }) => credentialField(credential, isOptional))}
${(operation.parameters ?? []).map((parameter) => parameterField(parameter, schemas))}
${bodyField(entry, schemas)}
</template>`;
}

interface Entered {
  readonly credential: RequiredCredential;
  readonly isOptional: boolean;
}

/** The credentials of all choices. A session is a cookie, which the page never sends. */
function credentialsToEnter(
  document: OpenApiDocument,
  { operation }: Entry,
): Entered[] | undefined {
  const choices = choicesOfCredentials(document, operation);
  const usable = choices.filter((choice) => choice.every(({ header }) => header !== 'Cookie'));
  if (choices.length > 0 && usable.length === 0) return undefined;
  const known = new Map(usable.flat().map((credential) => [credential.name, credential]));
  return [...known.values()].map((credential) => ({
    credential,
    isOptional: usable.some((choice) => choice.every(({ name }) => name !== credential.name)),
  }));
}

function acceptOf({ operation }: Entry): string {
  const answers = Object.entries(operation.responses ?? {});
  const [, success] = answers.find(([status]) => status.startsWith('2')) ?? [];
  const types = Object.keys(success?.content ?? {});
  return types.find(isJson) ?? types[0] ?? '*/*';
}

/** Not a password field, because browsers offer to store those. The stylesheet hides the text. */
function credentialField(
  { name, header, prefix, variable }: RequiredCredential,
  optional: boolean,
) {
  return html`<label class="field"><span><code>${header}</code> <span class="where">${optional ? 'optional' : 'required'}</span></span>
<input class="secret" name="${name}" data-in="credential" data-header="${header}" data-prefix="${prefix}" placeholder="${variable}" autocomplete="off" autocapitalize="off" spellcheck="false"${optional ? undefined : html` required`}></label>
`;
}

/** Empty at first: an example of an id may be the id of something real. */
function parameterField(parameter: Parameter, schemas: Schemas): Html {
  const { name, required } = parameter;
  return html`<label class="field"><span><code>${name}</code> <span class="where">${parameter.in}, ${required ? 'required' : 'optional'}</span></span>
<input name="${name}" data-in="${parameter.in}" placeholder="${textOf(parameter, schemas)}" autocomplete="off" autocapitalize="off" spellcheck="false"${required ? html` required` : undefined}></label>
`;
}

/** Empty at first for a deletion: an example of a key may be the key of something real. */
function bodyField({ method, operation }: Entry, schemas: Schemas): Html | undefined {
  const media = mediaExample(operation.requestBody?.content ?? {}, schemas, 'request');
  if (media === undefined) return undefined;
  const { type, text } = media;
  const lead = html`<span>Body <span class="where">${type}</span></span>`;
  if (text === undefined) {
    return html`<label class="field">${lead}
<input type="file" name="body" data-in="body" data-type="${type}" required></label>`;
  }
  const rows = Math.min(16, text.split('\n').length);
  return html`<label class="field">${lead}
<textarea name="body" data-in="body" data-type="${type}" rows="${rows}"${method === 'delete' ? html` placeholder="${text}" required` : undefined} autocapitalize="off" spellcheck="false">
${method === 'delete' ? undefined : text}</textarea></label>`;
}
