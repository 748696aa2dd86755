import type { Entry } from './contents.ts';
import { choicesOfCredentials, type RequiredCredential } from './credentials.ts';
import { isJson, type MediaExample, mediaExample } from './media-example.ts';
import {
  givenExample,
  type OpenApiDocument,
  type Parameter,
  type Schemas,
  schemasOf,
} from './openapi-document.ts';
import { sampleOf } from './schema-sample.ts';

/** A command for a POSIX shell in which the credential variables are set. */
export function curlExample(document: OpenApiDocument, entry: Entry): string {
  const { method, path, operation } = entry;
  const schemas = schemasOf(document);
  const parameters = operation.parameters ?? [];
  const server = (document.servers?.[0]?.url ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  const url = `${server}${filledPath(path, parameters, schemas)}${query(parameters, schemas)}`;
  const verb =
    method === 'get' ? '' : method === 'head' ? '--head ' : `-X ${method.toUpperCase()} `;
  const credentials = choicesOfCredentials(document, operation)[0] ?? [];
  const media = mediaExample(operation.requestBody?.content ?? {}, schemas, 'request');
  const lines = [
    `curl ${verb}${shellWord(url)}`,
    ...credentials.map(secretHeader),
    ...shownParameters(parameters, 'header', schemas).map(([name, value]) =>
      header(`${name}: ${value}`),
    ),
    ...(media === undefined ? [] : body(media)),
  ];
  return lines.join(' \\\n  ');
}

function filledPath(path: string, parameters: readonly Parameter[], schemas: Schemas): string {
  return path.replace(/\{([^}]+)\}/g, (_template, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const value = encodeURIComponent(parameter ? textOf(parameter, schemas) : name);
    // A wildcard spans segments, so its slashes stay unescaped.
    return name === '*' ? value.replaceAll('%2F', '/') : value;
  });
}

function query(parameters: readonly Parameter[], schemas: Schemas): string {
  const shown = shownParameters(parameters, 'query', schemas);
  return shown.length === 0 ? '' : `?${new URLSearchParams(shown)}`;
}

function shownParameters(
  parameters: readonly Parameter[],
  place: string,
  schemas: Schemas,
): [string, string][] {
  return parameters
    .filter((one) => one.in === place && (one.required === true || givenExample(one) !== undefined))
    .map((one) => [one.name, textOf(one, schemas)]);
}

function textOf(parameter: Parameter, schemas: Schemas): string {
  const given = givenExample(parameter);
  const value = given === undefined ? sampleOf(parameter.schema ?? {}, schemas, 'request') : given;
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? parameter.name);
}

function body({ type, text }: MediaExample): string[] {
  // Not --data, which reads a file if the text begins with @.
  const data = text === undefined ? '--upload-file devices.csv' : `--data-raw ${shellWord(text)}`;
  const indented = isJson(type) ? data.replaceAll('\n', '\n  ') : data;
  return [header(`Content-Type: ${type}`), indented];
}

function header(line: string): string {
  return `-H ${shellWord(line)}`;
}

/** In double quotes, so that the shell expands the secret. Everything else is escaped. */
function secretHeader(credential: RequiredCredential): string {
  const before = `${credential.header}: ${credential.prefix}`.replace(/[\\"$`]/g, '\\$&');
  return `-H "${before}$${credential.variable}"`;
}

function shellWord(text: string): string {
  return /^[\w/:=.,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
