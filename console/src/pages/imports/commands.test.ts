import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAudienceCommand, shellWord, tributaryCommands } from './commands.ts';

const runs = process.env.TRIBUTARY_SOAK === '1' ? 500 : 30;

describe('commands to copy', () => {
  it('set the URL of the service unless it is the default', () => {
    const words = [['import', 'a b.csv', '--watch'], ['logs']];
    const commands = "npx tributary import 'a b.csv' --watch\nnpx tributary logs";
    expect(tributaryCommands('http://127.0.0.1:8080', ...words)).toBe(commands);
    expect(tributaryCommands('https://tributary.example', ...words)).toBe(
      `export TRIBUTARY_URL=https://tributary.example\n${commands}`,
    );
  });

  it('send a JSON body to the service that shows them', () => {
    const command = createAudienceCommand('https://tributary.example');
    const printed = execFileSync('sh', ['-c', command.replace('curl', 'printf "%s\\n"')]);
    const [url, ...others] = printed.toString().trimEnd().split('\n');
    expect(url).toBe('https://tributary.example/v2/firstparty/audience');
    expect(JSON.parse(others.at(-1) ?? '')).toMatchObject({ file_path: 'spring/' });
  });

  it('are safe to paste for any file name', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(name, (text) => {
        const echoed = execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`]).toString();
        expect(echoed).toBe(text);
      }),
      { numRuns: runs },
    );
  });
});
