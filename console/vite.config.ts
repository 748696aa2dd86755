import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const service = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  plugins: [react(), knownPreloadMarkers(), compressed()],
  build: {
    modulePreload: { polyfill: false },
    // Never inline assets: the content security policy forbids inline scripts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // The script of the API reference keeps its name, because another page loads it.
      input: {
        index: join(import.meta.dirname, 'index.html'),
        reference: join(import.meta.dirname, 'src/reference/main.ts'),
      },
      output: {
        entryFileNames: ({ name }) =>
          name === 'reference' ? 'reference.js' : 'assets/[name]-[hash].js',
        codeSplitting: {
          // Code that nearly every page uses is one file instead of twenty.
          groups: [
            { name: 'foundation', test: /node_modules.(react|wouter|openapi)|src.(api|parts)./ },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/v1': service, '/v2': service, '/admin': service, '/docs': service },
  },
});

/**
 * Rolldown 1.3 appends a number to its preload markers. Vite 8.3, made for 1.2, replaces only the
 * marker, and the remaining number is a syntax error in the browser.
 */
function knownPreloadMarkers(): Plugin {
  return {
    name: 'known-preload-markers',
    apply: 'build',
    renderChunk: (code) => code.replaceAll(/(?<=__VITE_PRELOAD__)[0-9a-f]{32}/g, ''),
  };
}

/** Writes a gzip and a brotli copy beside every text file. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return;
      const names = await readdir(dir, { recursive: true });
      const texts = names.filter((name) => /\.(js|css|svg|html)$/.test(name));
      await Promise.all(
        texts.map(async (name) => {
          const file = join(dir, name);
          const text = await readFile(file);
          await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }));
          await writeFile(`${file}.br`, await promisify(brotliCompress)(text));
        }),
      );
    },
  };
}
