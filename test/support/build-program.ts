import { cp, glob, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'vite';

const checkout = join(import.meta.dirname, '../..');

/** What Node starts: the programs, and the threads and processes that these start. */
const entries = ['src/process/main.ts', 'src/cli/tributary.ts', 'src/**/*-thread.ts'];

/** What the program reads besides code and the console. */
const asTheyAre = [
  'package.json',
  'examples/devices.csv',
  'src/records/database/migrations',
  'src/warehouse/clickhouse/cluster/migrations',
];

/**
 * Makes one program of the code and its packages, with the folders of the checkout. Tests start hundreds of
 * processes, and most of a start is the loading of modules: of an API process 1.0 s, and 0.3 s with this.
 */
export async function buildProgram(target: string): Promise<void> {
  const input: Record<string, string> = {};
  for await (const file of glob(entries, { cwd: checkout })) {
    input[file.replace(/\.ts$/, '')] = join(checkout, file);
  }
  await build({
    root: checkout,
    configFile: false,
    logLevel: 'error',
    plugins: [ownPlaces],
    ssr: { noExternal: true, external: ['@node-rs/crc32'] },
    build: {
      ssr: true,
      outDir: target,
      emptyOutDir: true,
      minify: false,
      target: 'node24',
      copyPublicDir: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
  for (const path of asTheyAre) {
    await cp(join(checkout, path), join(target, path), { recursive: true });
  }
  // Browser tests may build it anew.
  await symlink(join(checkout, 'console'), join(target, 'console'));
}

/** Files are named relative to the module that names them, also after modules were joined. */
const ownPlaces: Plugin = {
  name: 'own places',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(checkout) || id.includes('/node_modules/') || !code.includes('import.meta.'))
      return;
    const place = relative(checkout, id);
    return code
      .replaceAll('import.meta.url', `__placeOf('${place}')`)
      .replaceAll('import.meta.dirname', `__placeOf('${dirname(place)}', 'folder')`)
      .replaceAll(/(?<=\/main|-thread)\.ts(?=')/g, '.js');
  },
  renderChunk(code, { fileName }) {
    return code.replaceAll(
      /__placeOf\(['"`]([^'"`]+)['"`](, ['"`]folder['"`])?\)/g,
      (_, place, isFolder) => {
        const path = `'${relative(dirname(fileName), place)}'`;
        return isFolder
          ? `(import.meta.dirname + '/' + ${path})`
          : `new URL(${path}, import.meta.url).href`;
      },
    );
  },
};
