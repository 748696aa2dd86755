import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes `dist`, the program in the npm package, before npm packs it. Node runs no TypeScript below
 * node_modules. So the types are replaced by blanks, which keeps every line and column, and the names
 * of other files end in .js. The folders are those of the checkout.
 */
const root = import.meta.dirname;
const target = join(root, 'dist');

/** What the program reads besides code. */
const asTheyAre = [
  'package.json',
  'console/dist',
  'examples/audience',
  'examples/coffee.csv',
  'examples/devices.csv',
  'src/records/database/migrations',
  'src/warehouse/clickhouse/cluster/migrations',
];

const isTest = (path: string) => path.endsWith('.test.ts') || path.includes('/testing/');
const ownFile = /(?<=(['"`])\.{1,2}\/[^'"`\n]*)\.ts(?=\1)/g;

await rm(target, { recursive: true, force: true });
for await (const path of glob('{src,demo,bench/generate}/**/*.ts', { cwd: root })) {
  if (isTest(path)) continue;
  const code = stripTypeScriptTypes(await readFile(join(root, path), 'utf8'));
  const file = resolve(target, path.replace(/\.ts$/, '.js'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code.replaceAll(ownFile, '.js'));
}
for (const path of asTheyAre) await cp(join(root, path), join(target, path), { recursive: true });
