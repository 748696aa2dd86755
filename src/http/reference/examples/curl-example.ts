import type { RequiredCredential } from '../document/credentials.ts';
import { isJson, type MediaExample } from '../document/media-example.ts';
import { exampleFile, type RequestExample } from './request-example.ts';

/** A command for a POSIX shell in which the credential variables are set. */
export function curlExample({ method, url, credentials, headers, body }: RequestExample): string {
  const verb =
    method === 'get' ? '' : method === 'head' ? '--head ' : `-X ${method.toUpperCase()} `;
  const lines = [
    `curl ${verb}${shellWord(url)}`,
    ...credentials.map(secretHeader),
    ...headers.map(([name, value]) => header(`${name}: ${value}`)),
    ...(body === undefined ? [] : bodyOptions(body)),
  ];
  return lines.join(' \\\n  ');
}

function bodyOptions({ type, text }: MediaExample): string[] {
  // Not --data, which reads a file if the text begins with @.
  const data =
    text === undefined ? `--upload-file ${exampleFile}` : `--data-raw ${shellWord(text)}`;
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
