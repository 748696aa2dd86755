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
    // A file of its own for each: the policy of the page lets no script stand in it.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What nearly every page uses comes in one piece, not in twenty.
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
 * Rolldown 1.3 adds a number to the marks that it leaves for preloads. Vite 8.3, made for 1.2,
 * replaces the mark alone, and what is left of it is a syntax error in the browser.
 */
function knownPreloadMarkers(): Plugin {
  return {
    name: 'known-preload-markers',
    apply: 'build',
    renderChunk: (code) => code.replaceAll(/(?<=__VITE_PRELOAD__)[0-9a-f]{32}/g, ''),
  };
}

/** Lays every text beside itself in the two encodings that browsers ask for. */
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
