import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readNewPassword } from './read-password.ts';

/** Somebody at a terminal, who types the next line when asked for it. */
async function asked(...lines: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const prompts = new PassThrough({ encoding: 'utf8' });
  let shown = '';
  prompts.on('data', (text: string) => {
    shown += text;
    if (text.endsWith(': ')) input.write(lines.shift() ?? '');
  });
  const outcome = await readNewPassword(input, prompts).catch((error: Error) => error.message);
  return { outcome, shown };
}

test('at a terminal it is asked for twice, and never shown', async () => {
  const { outcome, shown } = await asked('correct horse\r', 'correct horse\r');
  expect(outcome).toBe('correct horse');
  expect(shown).toBe('New password: \nThe same again: \n');
});

test('what was typed is corrected as in any line', async () => {
  const { outcome } = await asked('correct house\x7f\x7f\x7frse\r', 'correct horse\r');
  expect(outcome).toBe('correct horse');
});

test('two that differ are none', async () => {
  expect((await asked('one thing\r', 'another\r')).outcome).toBe('the two passwords differ');
});

test.each(['\r', '\x03', '\x04'])('who types %j gives no password', async (keys) => {
  expect((await asked(keys)).outcome).toMatch(/^no password was given/);
});

test.each([
  ['the first line\nanother\n', 'the first line'],
  ['with blanks around \r\n', 'with blanks around '],
  ['without an end', 'without an end'],
])('of what is piped in, %j, it is the first line', async (piped, password) => {
  const input = new PassThrough();
  input.end(piped);
  expect(await readNewPassword(input, new PassThrough())).toBe(password);
});

test('nothing piped in is no password', async () => {
  const input = new PassThrough();
  input.end();
  await expect(readNewPassword(input, new PassThrough())).rejects.toThrow('no password was given');
});
