import { isJson, type MediaExample } from '../document/media-example.ts';
import { exampleFile, type RequestExample } from './request-example.ts';

/** A program for Python 3.8 or later. It needs only the standard library. */
export function pythonExample(request: RequestExample): string {
  const { method, url, credentials, headers, body, answer } = request;
  const sendsJson = body?.text !== undefined && isJson(body.type);
  const isFile = body !== undefined && body.text === undefined;
  const members = [
    ...credentials.map(
      ({ header, prefix, variable }) =>
        `${string(header)}: ${prefix === '' ? '' : `${string(prefix)} + `}os.environ[${string(variable)}]`,
    ),
    ...headers.map(([name, value]) => `${string(name)}: ${string(value)}`),
    ...(body === undefined ? [] : [`${string('Content-Type')}: ${string(body.type)}`]),
  ];
  const options = [
    ...(method === 'get' ? [] : [`method=${string(method.toUpperCase())},`]),
    ...(members.length === 0 ? [] : ['headers={', ...members.map((one) => `    ${one},`), '},']),
    ...(body === undefined ? [] : `data=${bodyOf(body)},`.split('\n')),
  ];
  return [
    ...(sendsJson || answer === 'json' ? ['import json'] : []),
    ...(credentials.length === 0 ? [] : ['import os']),
    ...(isFile ? ['from pathlib import Path'] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    ...[`${string(url)},`, ...options].map((line) => `    ${line}`),
    ')',
    'with urlopen(request) as response:',
    `    print(${ANSWERS[answer]})`,
  ].join('\n');
}

const ANSWERS = {
  json: 'json.load(response)',
  text: 'response.read().decode()',
  none: 'response.status',
} as const;

function bodyOf({ type, text }: MediaExample): string {
  if (text === undefined) return `Path(${string(exampleFile)}).read_bytes()`;
  const value = isJson(type) ? `json.dumps(${literal(JSON.parse(text))})` : string(text);
  return `${value}.encode()`;
}

/** A JSON value as a Python expression of several lines. */
function literal(value: unknown): string {
  if (typeof value === 'string') return string(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) =>
    isArray ? literal(member) : `${string(name)}: ${literal(member)}`,
  );
  const [open, close] = isArray ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const lines = members.map((member) => `    ${member.replaceAll('\n', '\n    ')},\n`);
  return `${open}\n${lines.join('')}${close}`;
}

/** Every JSON string is also a Python string. */
function string(text: string): string {
  return JSON.stringify(text);
}
