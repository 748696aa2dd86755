import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/**
 * Renders a Helm chart. Understands only the part of the template language that our chart uses, and
 * throws at anything else: `if`, `with`, `range`, `define`, `include`, and a few functions.
 */
export function renderChart(folder: string, values: object): Manifest[] {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const chart = parse(read('Chart.yaml'));
  const root = {
    Values: merge(parse(read('values.yaml')), values),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: 'my', Service: 'Helm' },
  };
  const defined = new Map<string, Node[]>();
  const files = readdirSync(join(folder, 'templates')).sort();
  const parsed = files.map((file) => parseTemplate(read(join('templates', file)), defined));
  const text = parsed
    .map((nodes) => render(nodes, { dot: root, variables: {}, defined }))
    .join('\n---\n');
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const manifest = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect manifests of every kind
  readonly spec: any;
}

type Node =
  | string
  | { readonly output: string }
  | { readonly block: 'if' | 'with' | 'range'; readonly over: string; readonly body: Node[] };

interface Scope {
  readonly dot: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly defined: ReadonlyMap<string, Node[]>;
}

function parseTemplate(text: string, defined: Map<string, Node[]>): Node[] {
  // A hyphen inside the braces removes the white space beside them.
  const trimmed = text.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}');
  const parts = trimmed.split(/\{\{\s*(.*?)\s*\}\}/s);
  const open: Node[][] = [[]];
  for (const [index, part] of parts.entries()) {
    const inner = open.at(-1)!;
    const [word = '', ...rest] = index % 2 === 0 ? [''] : part.split(' ');
    if (index % 2 === 0) inner.push(part);
    else if (word === 'end') open.pop();
    else if (word === 'define') {
      const body: Node[] = [];
      defined.set(JSON.parse(rest.join(' ')), body);
      open.push(body);
    } else if (word === 'if' || word === 'with' || word === 'range') {
      const body: Node[] = [];
      inner.push({ block: word, over: rest.join(' '), body });
      open.push(body);
    } else inner.push({ output: part });
  }
  if (open.length !== 1) throw new Error('a block of the template has no end');
  return open[0]!;
}

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('output' in node) return String(evaluate(node.output, scope));
      return renderBlock(node, scope);
    })
    .join('');
}

function renderBlock(node: Exclude<Node, string | { output: string }>, scope: Scope): string {
  const { block, over, body } = node;
  if (block === 'range') {
    const [, key = '', value = '', list = ''] = /^(\$\w+), (\$\w+) := (.+)$/.exec(over) ?? [];
    return Object.entries(evaluate(list, scope) as object)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => render(body, { ...scope, variables: { [key]: name, [value]: item } }))
      .join('');
  }
  const value = evaluate(over, scope);
  if (!isTrue(value)) return '';
  return render(body, block === 'with' ? { ...scope, dot: value } : scope);
}

/** Empty values are false, as in Go. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : !!value;
}

/** A pipeline: each part is a function whose last argument is the result of the part before. */
function evaluate(pipeline: string, scope: Scope): unknown {
  return pipeline.split(' | ').reduce<unknown>((before, part, index) => {
    const words = part.match(/"[^"]*"|\S+/g) ?? [];
    const input = index === 0 ? [] : [before];
    if (words.length + input.length === 1) return term(words[0]!, scope);
    const [name = '', ...rest] = words;
    return call(name, [...rest.map((word) => term(word, scope)), ...input], scope);
  }, undefined);
}

function term(word: string, { dot, variables }: Scope): unknown {
  if (/^["\d]/.test(word)) return JSON.parse(word);
  if (word.startsWith('$')) return variables[word];
  if (!word.startsWith('.')) throw new Error(`unknown term ${word}`);
  const path = word.split('.').filter((name) => name !== '');
  // biome-ignore lint/suspicious/noExplicitAny: values of every shape
  return path.reduce<any>((value, name) => {
    if (!(name in value)) throw new Error(`${word} is not set`);
    return value[name];
  }, dot);
}

function call(name: string, args: readonly unknown[], scope: Scope): unknown {
  const [first, second] = args;
  switch (name) {
    case 'include': {
      const body = scope.defined.get(String(first));
      if (!body) throw new Error(`no template ${first}`);
      return render(body, { ...scope, dot: second, variables: {} });
    }
    case 'toYaml':
      return stringify(first).trimEnd();
    case 'nindent':
      return `\n${String(second)}`.replaceAll('\n', `\n${' '.repeat(Number(first))}`);
    case 'quote':
      return JSON.stringify(String(first));
    case 'default':
      return isTrue(second) ? second : first;
    case 'not':
      return !isTrue(first);
    default:
      throw new Error(`unknown function ${name}`);
  }
}

/** Maps are merged, anything else is replaced. */
function merge(into: unknown, from: unknown): unknown {
  const isMap = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(into) || !isMap(from)) return from;
  const merged = { ...(into as Record<string, unknown>) };
  for (const [name, value] of Object.entries(from as object)) {
    merged[name] = name in merged ? merge(merged[name], value) : value;
  }
  return merged;
}
