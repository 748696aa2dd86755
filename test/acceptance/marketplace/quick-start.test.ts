import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { samplesIn } from '../../support/reference-samples.ts';
import { machineHas } from '../../support/requirements.ts';
import { temporaryFolder } from '../service.ts';
import { test } from './shared-marketplace.ts';

const run = promisify(execFile);

/** How each language runs a program. */
const runs = {
  shell: ['/bin/sh', '-eu'],
  typescript: [process.execPath],
  python: ['/usr/bin/python3'],
} as const;
const names = { shell: 'run.sh', typescript: 'run.ts', python: 'run.py' } as const;

test.runIf(machineHas('curl', 'python3'))(
  'the quick start of the reference imports a file, in every language',
  async ({ shared }) => {
    const page = await (await fetch(`${shared.service.url}/docs`)).text();
    const [section = ''] = page.split('class="quick-start"').slice(1).join('').split('</section>');
    await Promise.all(
      (['shell', 'typescript', 'python'] as const).map(async (language) => {
        const partner = await shared.partner();
        await using folder = await temporaryFolder();
        const steps = samplesIn(section, language);
        expect(steps).toHaveLength(5);
        const file = join(folder.path, names[language]);
        await writeFile(file, steps.join('\n').replace('export API_KEY=…\n', ''));
        const [program, ...options] = runs[language];
        const { stdout } = await run(program, [...options, file], {
          cwd: folder.path,
          env: { PATH: process.env.PATH ?? '', API_KEY: partner.apiKey },
        });
        expect(stdout).toContain('import_log_id');
        const [queued] = (await partner.call('GET', '/v1/marketplace/import')).body;
        const log = await partner.ended(queued.import_log_id);
        expect(log).toMatchObject({ status: 2, unique_devices: '1', errors: null });
        expect(await partner.counts()).toEqual({ coffee: 1 });
      }),
    );
  },
);
