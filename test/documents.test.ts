import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  failureCodes,
  labelCodes,
  noticeCodes,
  rejectCodes,
} from '../src/domain/import-problems.ts';

const root = resolve(import.meta.dirname, '..');

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, folder, name));
}

const documents = ['', 'docs', 'docs/bench', '.github'].flatMap(markdownIn);

/** A document without its code blocks. */
function proseOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^ *(?:\d+\. )?```[\s\S]*?^ *```$/gm, '');
}

/** The anchors that GitHub generates for a document's headings. */
function anchorsOf(file: string): string[] {
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents.map((file) => [relative(root, file), file]))('%s', (_, file) => {
  const prose = proseOf(file);

  test('has no broken link', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : resolve(dirname(file), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('names only files and folders that exist', () => {
    const paths = [
      ...prose.matchAll(/`((?:src|test|bench|console|demo|deploy|docs|examples)\/[^`\s*]+)`/g),
    ];
    const missing = paths
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(root, path)));
    // Made by the build, and by the operator.
    expect(missing.filter((path) => path !== 'console/dist' && path !== 'deploy/.env')).toEqual([]);
  });
});

test('docs/file-formats.md describes every code of a problem, and no other', () => {
  const text = readFileSync(join(root, 'docs/file-formats.md'), 'utf8');
  const problems = text.slice(text.indexOf('## Problems'));
  const described = [...problems.matchAll(/^\| `(\w+)`/gm)].map(([, code = '']) => code);
  const codes = [...rejectCodes, ...labelCodes, ...noticeCodes, ...failureCodes];
  expect(described.sort()).toEqual(codes.sort());
});
