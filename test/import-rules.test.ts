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

/** The table of ARCHITECTURE.md: what each folder may import. */
function readRules(): Map<string, string[]> {
  const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const table = document.slice(document.search(/^\| folder +\| may import +\|$/m));
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)];
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
    // A computed specifier is judged by the text it begins with.
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

/** What the table does not allow, one sentence each. */
function violations(imports: readonly Import[], rules: ReadonlyMap<string, string[]>): string[] {
  return imports.flatMap(({ file, target, isOurs, typeOnly }) => {
    const folder = file.split('/')[0] ?? '';
    const allowed = rules.get(folder);
    if (!allowed) return [`${folder} is not in the table of ARCHITECTURE.md`];
    if (isOurs && target.startsWith(`${folder}/`)) return [];
    if (isBuiltin(target) && folder !== 'domain') return [];
    const permits = (rule: string) => {
      const name = rule.replace(/^types of /, '');
      if (name !== rule && !typeOnly) return false;
      return target === name || target.startsWith(`${name}/`);
    };
    return allowed.some(permits) ? [] : [`${file} must not import ${target}`];
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const rules = readRules();
const ruledFiles = filesBelow(source).filter(
  (file) => dirname(file) !== source && !/\.test\.ts$|\/testing\//.test(file),
);
const imports = ruledFiles.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));

describe('who may import whom', () => {
  test('the table and the imports are found at all', () => {
    expect(rules.size).toBeGreaterThan(8);
    expect(imports.length).toBeGreaterThan(100);
    for (const folder of rules.keys()) {
      if (folder !== 'domain')
        expect(imports.map(({ file }) => file).join()).toContain(`${folder}/`);
    }
  });

  test('every import is one that ARCHITECTURE.md allows', () => {
    expect(violations(imports, rules)).toEqual([]);
  });

  test.each([
    ['domain/x.ts', "import { readFile } from 'node:fs';"],
    ['domain/x.ts', "import { keyType } from '../records/jobs.ts';"],
    ['intake/x.ts', "import type { Run } from '../records/manifest.ts';"],
    ['warehouse/runs/x.ts', "import { createManifest } from '../../records/manifest.ts';"],
    ['jobs/x.ts', "const disk = await import('../objects/disk/disk-store.ts');"],
    ['http/x.ts', "export * from '../warehouse/port.ts';"],
    ['client/x.ts', "import { statusOf } from '../domain/job.ts';"],
    ['records/x.ts', "import { fastify } from 'fastify';"],
    ['elsewhere/x.ts', "import { a } from '../domain/job.ts';"],
  ])('a forbidden import in %s is found: %s', (file, text) => {
    expect(violations(importsOf(join(source, file), text), rules)).toHaveLength(1);
  });

  test.each([
    ['warehouse/runs/x.ts', "import type { Manifest } from '../../records/manifest.ts';"],
    ['warehouse/runs/x.ts', "import { type Manifest } from '../../records/manifest.ts';"],
    ['jobs/x.ts', "import { VersionGone } from '../objects/port.ts';"],
    ['http/x.ts', "import swagger from '@fastify/swagger';"],
  ])('an allowed one in %s is let be: %s', (file, text) => {
    expect(violations(importsOf(join(source, file), text), rules)).toEqual([]);
  });

  test('the console takes types of the client and of the domain, and nothing else of the service', () => {
    const files = filesBelow(join(root, 'console/src')).filter((file) => !/\.test\./.test(file));
    const ofService = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      .filter(({ target, isOurs }) => isOurs && !target.startsWith('../console/'));
    expect(ofService).not.toEqual([]);
    const isAllowed = ({ target, typeOnly }: Import) =>
      typeOnly && /^(client|domain)\//.test(target);
    expect(ofService.filter((each) => !isAllowed(each))).toEqual([]);
  });

  test('the environment is read by main.ts, the command line and the tests only', () => {
    const readers = filesBelow(source)
      .filter((file) => !/\.test\.ts$/.test(file))
      .filter((file) => readFileSync(file, 'utf8').includes('process.env'))
      .map((file) => relative(source, file));
    expect(readers.sort()).toEqual(['cli/tributary.ts', 'main.ts']);
  });

  test.each(['acceptance', 'browser'])(
    'the %s tests know the service only from outside',
    (tests) => {
      const files = filesBelow(join(root, 'test', tests));
      expect(files.length).toBeGreaterThan(0);
      const inside = files
        .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
        .filter(({ isOurs, target }) => isOurs && !target.startsWith('..'));
      expect(inside).toEqual([]);
    },
  );
});
