import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');

interface Import {
  readonly file: string;
  /** As written, or relative to `src` if it is one of our own files. */
  readonly target: string;
  readonly isOurs: boolean;
  readonly typeOnly: boolean;
}

const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** One of the two tables of ARCHITECTURE.md, found by the header of its first column. */
function readRules(firstColumn: string): Map<string, string[]> {
  const start = architecture.search(new RegExp(`^\\| ${firstColumn} +\\| may import`, 'm'));
  const table = architecture.slice(start).split('\n\n', 1)[0] ?? '';
  const rows = [...table.matchAll(/^\| `([\w/-]+)` +\| (.+?) +\|$/gm)];
  return new Map(
    rows.map(([, folder = '', allowed = '']) => [
      folder,
      allowed === 'nothing' ? [] : allowed.replaceAll('`', '').split(', '),
    ]),
  );
}

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const add = (specifier: ts.Expression | undefined, typeOnly: boolean) => {
    // Of a computed specifier only the text at its start is checked.
    const name =
      specifier && (ts.isStringLiteralLike(specifier) || ts.isTemplateExpression(specifier))
        ? specifier.getText().slice(1, -1)
        : 'something computed';
    const isOurs = name.startsWith('.');
    const target = isOurs ? relative(source, resolve(dirname(file), name)) : name;
    found.push({ file: relative(source, file), target, isOurs, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal as ts.Expression, true);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every((element) => element.isTypeOnly);
}

/** Every import that the tables do not allow, one sentence each. */
function violations(imports: readonly Import[]): string[] {
  return imports.flatMap((each) => {
    const { file, target } = each;
    const folder = topFolder(file);
    const allowed = folderRules.get(folder);
    if (!allowed) return [`${folder} is not in the first table of ARCHITECTURE.md`];
    if (each.isOurs && target.startsWith(`${folder}/`)) return subfolderViolations(each);
    if (isBuiltin(target) && folder !== 'domain') return [];
    const permits = (rule: string) => {
      const name = rule.replace(/^types of /, '');
      if (name !== rule && !each.typeOnly) return false;
      return target === name || target.startsWith(`${name}/`);
    };
    return allowed.some(permits) ? [] : [`${file} must not import ${target}`];
  });
}

/** Imports within one folder: allowed within a subfolder, and to the subfolders in its row. */
function subfolderViolations({ file, target }: Import): string[] {
  const subfolder = dirname(file);
  if (subfolder === dirname(target)) return [];
  const allowed = subfolderRules.get(subfolder);
  if (!allowed) return [`${subfolder} is not in the second table of ARCHITECTURE.md`];
  return allowed.includes(dirname(target)) ? [] : [`${file} must not import ${target}`];
}

/** The groups of nodes that can all reach each other. Each group contains at least one cycle. */
function cyclesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = new Map<string, Set<string>>();
  for (const start of graph.keys()) {
    const seen = new Set<string>();
    const next = [...(graph.get(start) ?? [])];
    for (let node = next.pop(); node !== undefined; node = next.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      next.push(...(graph.get(node) ?? []));
    }
    reached.set(start, seen);
  }
  const inCycle = [...reached].filter(([node, seen]) => seen.has(node));
  const groups = inCycle.map(([node, seen]) =>
    [...seen].filter((other) => reached.get(other)?.has(node)).sort(),
  );
  return [...new Set(groups.map((group) => group.join(' ⇄ ')))];
}

/** The graph of imports. `nodeOf` maps each path to a node. */
function graphOf(
  imports: readonly Import[],
  nodeOf: (path: string) => string,
): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { file, target, isOurs } of imports) {
    const [from, to] = [nodeOf(file), nodeOf(target)];
    if (!isOurs || from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

function topFolder(path: string): string {
  return path.split('/')[0] ?? '';
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const folderRules = readRules('folder');
const subfolderRules = readRules('subfolder');
const ruledFiles = filesBelow(source).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
const imports = ruledFiles.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
const mostFilesInAFolder = 25;

describe('the import rules', () => {
  test('the tables list every folder that has code, and no other', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    const subfolders = new Set(ruledFiles.map((file) => dirname(relative(source, file))));
    const folders = new Set([...subfolders].map(topFolder));
    expect([...folderRules.keys()].sort()).toEqual([...folders].sort());
    const divided = [...subfolders].filter((subfolder) =>
      [...subfolders].some(
        (other) => other !== subfolder && topFolder(other) === topFolder(subfolder),
      ),
    );
    expect([...subfolderRules.keys()].sort()).toEqual(divided.sort());
  });

  test('every import is one that ARCHITECTURE.md allows', () => {
    expect(violations(imports)).toEqual([]);
  });

  test('every import that the second table allows exists', () => {
    const graph = graphOf(imports, dirname);
    const unused = [...subfolderRules].flatMap(([subfolder, allowed]) =>
      allowed
        .filter((other) => !graph.get(subfolder)?.has(other))
        .map((other) => `${subfolder} → ${other}`),
    );
    expect(unused).toEqual([]);
  });

  test.each([
    ['domain/x.ts', "import { readFile } from 'node:fs';"],
    ['domain/x.ts', "import { createJobs } from '../records/queue/jobs.ts';"],
    ['intake/scan/x.ts', "import type { Run } from '../../records/warehouse/manifest.ts';"],
    [
      'warehouse/runs/x.ts',
      "import { createManifest } from '../../records/warehouse/manifest.ts';",
    ],
    ['jobs/import/x.ts', "const disk = await import('../../objects/disk/disk-store.ts');"],
    ['http/server/x.ts', "export * from '../../warehouse/port.ts';"],
    ['client/x.ts', "import { statusOf } from '../domain/job.ts';"],
    ['records/database/x.ts', "import { fastify } from 'fastify';"],
    ['elsewhere/x.ts', "import { a } from '../domain/job.ts';"],
    ['http/server/x.ts', "import type { Scope } from '../audiences/audience-scope.ts';"],
    ['http/marketplace/x.ts', "import { findAudience } from '../audiences/audience-scope.ts';"],
    ['records/database/x.ts', "import { createJobs } from '../queue/jobs.ts';"],
    ['warehouse/runs/file/x.ts', "import { createLoad } from '../load/load.ts';"],
    ['warehouse/runs/load/x.ts', "import type { Sets } from '../sets/sets.ts';"],
    ['warehouse/runs/x.ts', "import type { Cluster } from '../clickhouse/cluster/cluster.ts';"],
    ['intake/report/x.ts', "import type { ScanTask } from '../scan/scan-task.ts';"],
    ['objects/disk/x.ts', "import { createEndpoint } from '../endpoint/endpoint.ts';"],
    ['http/new-folder/x.ts', "import { pathOf } from '../server/wire.ts';"],
  ])('a forbidden import in %s is found: %s', (file, text) => {
    expect(violations(importsOf(join(source, file), text))).toHaveLength(1);
  });

  test.each([
    ['warehouse/runs/x.ts', "import type { Run } from '../../records/warehouse/manifest.ts';"],
    ['warehouse/runs/x.ts', "import { type Run } from '../../records/warehouse/manifest.ts';"],
    ['jobs/import/x.ts', "import { VersionGone } from '../../objects/port.ts';"],
    ['http/server/x.ts', "import swagger from '@fastify/swagger';"],
    ['http/console/x.ts', "import { pathOf } from '../server/wire.ts';"],
    ['warehouse/runs/load/x.ts', "import { readFully } from '../file/file-io.ts';"],
  ])('an allowed import in %s passes: %s', (file, text) => {
    expect(violations(importsOf(join(source, file), text))).toEqual([]);
  });

  test('no files import each other in a cycle, types included', () => {
    expect(cyclesOf(graphOf(imports, (path) => path))).toEqual([]);
  });

  test.each([1, 2, 3, 4])('no folders import each other in a cycle, %i levels deep', (depth) => {
    const folderOf = (path: string) => dirname(path).split('/').slice(0, depth).join('/');
    const graph = graphOf(imports, folderOf);
    expect(cyclesOf(graph)).toEqual([]);
  });

  test('a cycle is found', () => {
    const text = "import type { A } from '../a/a.ts';";
    const pair = [
      ...importsOf(join(source, 'b/b.ts'), text),
      ...importsOf(join(source, 'a/a.ts'), text.replaceAll('a', 'b').replaceAll('A', 'B')),
    ].map((each) => ({ ...each, target: each.file === 'b/b.ts' ? 'a/a.ts' : 'b/b.ts' }));
    expect(cyclesOf(graphOf(pair, (path) => path))).toEqual(['a/a.ts ⇄ b/b.ts']);
    expect(cyclesOf(graphOf(pair, dirname))).toEqual(['a ⇄ b']);
  });

  test(`no folder has more than ${mostFilesInAFolder} files of code`, () => {
    const byFolder = Map.groupBy(ruledFiles, (file) => dirname(relative(source, file)));
    const crowded = [...byFolder].filter(([, files]) => files.length > mostFilesInAFolder);
    expect(crowded.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
  });

  test('the console imports only types, and only from client and domain', () => {
    const files = filesBelow(join(root, 'console/src')).filter((file) => !/\.test\./.test(file));
    const ofService = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      .filter(({ target, isOurs }) => isOurs && !target.startsWith('../console/'));
    expect(ofService).not.toEqual([]);
    const isAllowed = ({ target, typeOnly }: Import) =>
      typeOnly && /^(client|domain)\//.test(target);
    expect(ofService.filter((each) => !isAllowed(each))).toEqual([]);
  });

  test('only main.ts and the command line read the environment', () => {
    const readers = filesBelow(source)
      .filter((file) => !/\.test\.ts$/.test(file))
      // Examples in the API reference have it in a text, after an escaped `${`.
      .filter((file) => /(?<!\\\$\{)process\.env/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(source, file));
    expect(readers.sort()).toEqual(['cli/tributary.ts', 'process/main.ts']);
  });

  test.each(['acceptance', 'browser'])('the %s tests import nothing from src', (tests) => {
    const files = filesBelow(join(root, 'test', tests));
    expect(files.length).toBeGreaterThan(0);
    const inside = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      .filter(({ isOurs, target }) => isOurs && !target.startsWith('..'));
    expect(inside).toEqual([]);
  });
});
