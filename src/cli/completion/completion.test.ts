import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandTree } from './command-tree.ts';
import { completionScript } from './completion-script.ts';

const run = promisify(execFile);
const cli = join(import.meta.dirname, '../tributary.ts');

describe('the script of the real command, in bash', () => {
  let script: string;
  beforeAll(async () => {
    script = (await run(process.execPath, [cli, 'completion', 'bash'])).stdout;
  });

  /** What bash offers after these words; the last one is being typed. */
  async function offered(...words: string[]): Promise<string[]> {
    const complete = `${script}
      COMP_WORDS=(tributary "$@")
      COMP_CWORD=$#
      _tributary
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', complete, 'bash', ...words]);
    return stdout.split('\n').filter((word) => word !== '');
  }

  test('it completes commands, subcommands, options and their values', async () => {
    expect(await offered('comp')).toEqual(['completion']);
    expect(await offered('')).toEqual(expect.arrayContaining(['partner', 'rejects', '--version']));
    expect(await offered('partner', 'en')).toEqual(['enable']);
    expect(await offered('import', 'x.csv', '--mode', '')).toEqual(['merge', 'replace']);
    expect(await offered('import', 'x.csv', '--dry')).toEqual(['--dry-run']);
    // The attribute command has an import of its own.
    expect(await offered('attribute', 'import', '--')).toEqual(['--api-key', '--json', '--help']);
  });

  test('it leaves anything else to the completion of file names', async () => {
    expect(await offered('upload', 'acme', 'no-such-file')).toEqual([]);
    expect(await offered('import', 'x', '--region', '')).toEqual([]);
  });
});

test('the scripts of zsh and fish have every command, quoted', () => {
  const program = new Command('tributary');
  program
    .command('say')
    .description("it's: said")
    .addOption(new Option('--how <how>', 'loud').choices(['low', 'high']));
  const nodes = commandTree(program);
  expect(nodes.map(({ path }) => path)).toEqual(['', 'say']);
  const zsh = completionScript('zsh', nodes);
  expect(zsh).toContain(`('') found=('say:it'\\''s\\: said' '--help:display help for command') ;;`);
  expect(zsh).toContain(`('say --how') found=('low' 'high') ;;`);
  const fish = completionScript('fish', nodes);
  expect(fish).toContain(`-a 'say' -d 'it\\'s: said'`);
  expect(fish).toContain(`-l how -r -f -a 'low high' -d 'loud'`);
});
