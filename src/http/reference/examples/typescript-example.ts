import { isJson, type MediaExample } from '../document/media-example.ts';
import { exampleFile, type RequestExample } from './request-example.ts';

/** A module for Node 20 or later, which has `fetch`. It needs no packages. */
export function typescriptExample(request: RequestExample): string {
  const { method, url, credentials, headers, body, answer } = request;
  const isFile = body !== undefined && body.text === undefined;
  const members = [
    ...credentials.map(
      ({ header, prefix, variable }) =>
        `${key(header)}: \`${prefix.replace(/[\\`$]/g, '\\$&')}\${process.env.${variable}}\``,
    ),
    ...headers.map(([name, value]) => `${key(name)}: ${string(value)}`),
    ...(body === undefined ? [] : [`${key('Content-Type')}: ${string(body.type)}`]),
  ];
  const options = [
    ...(method === 'get' ? [] : [`method: ${string(method.toUpperCase())},`]),
    ...(members.length === 0 ? [] : ['headers: {', ...members.map((one) => `  ${one},`), '},']),
    ...(body === undefined ? [] : `body: ${bodyOf(body)},`.split('\n')),
  ];
  const lines = options.map((line) => `\n  ${line}`).join('');
  return [
    ...(isFile ? ["import { openAsBlob } from 'node:fs';", ''] : []),
    `const response = await fetch(${string(url)}${lines === '' ? '' : `, {${lines}\n}`});`,
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(${ANSWERS[answer]});`,
  ].join('\n');
}

const ANSWERS = {
  json: 'await response.json()',
  text: 'await response.text()',
  none: 'response.status',
} as const;

function bodyOf({ type, text }: MediaExample): string {
  if (text === undefined) return `await openAsBlob(${string(exampleFile)})`;
  return isJson(type) ? `JSON.stringify(${literal(JSON.parse(text))})` : string(text);
}

/** A JSON value as a TypeScript expression of several lines. */
function literal(value: unknown): string {
  if (typeof value === 'string') return string(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) =>
    isArray ? literal(member) : `${key(name)}: ${literal(member)}`,
  );
  const [open, close] = isArray ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const lines = members.map((member) => `  ${member.replaceAll('\n', '\n  ')},\n`);
  return `${open}\n${lines.join('')}${close}`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : string(name);
}

function string(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `'${escaped.replaceAll("'", "\\'")}'`;
}
