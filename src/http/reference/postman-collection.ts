import { contentsOf, type Entry, isWrite } from './document/contents.ts';
import { choicesOfCredentials, credentialsOf } from './document/credentials.ts';
import { isJson, mediaExample } from './document/media-example.ts';
import { type OpenApiDocument, type Parameter, schemasOf } from './document/openapi-document.ts';
import { serverOf, textOf } from './examples/request-example.ts';

/**
 * The operations as a collection of Postman 2.1, which Bruno and Insomnia import as well. Secrets are variables:
 * set API_KEY once, and every request of a partner has it.
 */
export function postmanCollection(document: OpenApiDocument) {
  const { title, version, description } = document.info;
  const secrets = credentialsOf(document).map(({ variable }) => ({ key: variable, value: '' }));
  return {
    info: {
      name: `${title} ${version}`,
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [{ key: 'BASE_URL', value: serverOf(document) }, ...secrets],
    item: contentsOf(document).map(({ name, description, entries }) => ({
      name,
      description,
      item: entries.map((entry) => ({ name: entry.title, request: requestOf(document, entry) })),
    })),
  };
}

function requestOf(document: OpenApiDocument, entry: Entry) {
  const { method, operation } = entry;
  const body = bodyOf(document, entry);
  return {
    method: method.toUpperCase(),
    description: operation.description,
    header: [...headersOf(document, entry), ...(body ? [header('Content-Type', body.type)] : [])],
    url: urlOf(document, entry),
    ...(body && { body: body.content }),
  };
}

/** Path parameters are variables of the request. Optional parameters are there, but switched off. */
function urlOf(document: OpenApiDocument, { path, operation }: Entry) {
  const segments = path.slice(1).replace(/\{([^}]+)\}/g, ':$1');
  const parametersIn = (place: string) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({ parameter, entry: parameterEntry(document, parameter) }));
  const query = parametersIn('query').map(({ parameter, entry }) => ({
    ...entry,
    disabled: parameter.required !== true,
  }));
  return {
    raw: `{{BASE_URL}}/${segments}`,
    host: ['{{BASE_URL}}'],
    path: segments.split('/'),
    ...(query.length > 0 && { query }),
    variable: parametersIn('path').map(({ entry }) => entry),
  };
}

function parameterEntry(document: OpenApiDocument, parameter: Parameter) {
  const { name, description } = parameter;
  return { key: name, value: textOf(parameter, schemasOf(document)), description };
}

function headersOf(document: OpenApiDocument, entry: Entry) {
  const [credentials = []] = choicesOfCredentials(document, entry.operation);
  const takesKey = entry.operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
  return [
    ...credentials.map(({ header: name, prefix, variable }) =>
      header(name, `${prefix}{{${variable}}}`),
    ),
    // Postman and Bruno replace it by a new UUID in each request.
    ...(isWrite(entry) && takesKey ? [header('Idempotency-Key', '{{$guid}}')] : []),
  ];
}

function header(key: string, value: string) {
  return { key, value };
}

function bodyOf(document: OpenApiDocument, { operation }: Entry) {
  const example = mediaExample(
    operation.requestBody?.content ?? {},
    schemasOf(document),
    'request',
  );
  if (!example) return undefined;
  const { type, text } = example;
  if (text === undefined) return { type, content: { mode: 'file', file: {} } };
  const language = isJson(type) ? 'json' : 'text';
  return { type, content: { mode: 'raw', raw: text, options: { raw: { language } } } };
}
