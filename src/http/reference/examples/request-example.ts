import type { Entry } from '../document/contents.ts';
import { choicesOfCredentials, type RequiredCredential } from '../document/credentials.ts';
import { isJson, type MediaExample, mediaExample } from '../document/media-example.ts';
import {
  givenExample,
  type Method,
  type OpenApiDocument,
  type Parameter,
  type Schemas,
  schemasOf,
} from '../document/openapi-document.ts';
import { sampleOf } from '../document/schema-sample.ts';

/** A request that an example makes, before it is written in a language. */
export interface RequestExample {
  readonly method: Method;
  readonly url: string;
  readonly credentials: readonly RequiredCredential[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: MediaExample | undefined;
  readonly answer: 'json' | 'text' | 'none';
}

/** The file that examples send where the body is bytes. */
export const exampleFile = 'devices.csv';

export function requestExample(document: OpenApiDocument, entry: Entry): RequestExample {
  const { method, path, operation } = entry;
  const schemas = schemasOf(document);
  const parameters = operation.parameters ?? [];
  const server = serverOf(document);
  return {
    method,
    url: `${server}${filledPath(path, parameters, schemas)}${query(parameters, schemas)}`,
    credentials: choicesOfCredentials(document, operation)[0] ?? [],
    headers: shownParameters(parameters, 'header', schemas),
    body: mediaExample(operation.requestBody?.content ?? {}, schemas, 'request'),
    answer: answerOf(entry),
  };
}

/** The base URL, without a slash at its end. */
export function serverOf(document: OpenApiDocument): string {
  return (document.servers?.[0]?.url ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
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

/** A value of the parameter as text. */
export function textOf(parameter: Parameter, schemas: Schemas): string {
  const given = givenExample(parameter);
  const value = given === undefined ? sampleOf(parameter.schema ?? {}, schemas, 'request') : given;
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? parameter.name);
}

function answerOf({ method, operation }: Entry): RequestExample['answer'] {
  const answers = Object.entries(operation.responses ?? {});
  const [, success] = answers.find(([status]) => status.startsWith('2')) ?? [];
  const types = Object.keys(success?.content ?? {});
  if (method === 'head' || types.length === 0) return 'none';
  return types.some(isJson) ? 'json' : 'text';
}
