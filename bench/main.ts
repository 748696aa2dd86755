import { benchUpload } from './upload.ts';

const benches: Readonly<Record<string, () => Promise<void>>> = { upload: benchUpload };

/** `npm run bench` runs all, `npm run bench upload` one. */
const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
