import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readNewPassword } from './read-password.ts';

/** A user at a terminal who types the next line at each prompt. */
async function typing(...lines: string[]) {
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

test('at a terminal the password is typed twice and never shown', async () => {
  const { outcome, shown } = await typing('correct horse\r', 'correct horse\r');
  expect(outcome).toBe('correct horse');
  expect(shown).toBe('New password: \nRepeat password: \n');
});

test('the line can be edited while typing', async () => {
  const { outcome } = await typing('correct house\x7f\x7f\x7frse\r', 'correct horse\r');
  expect(outcome).toBe('correct horse');
});

test('two different passwords are refused', async () => {
  expect((await typing('one thing\r', 'another\r')).outcome).toBe('the passwords do not match');
});

test.each(['\r', '\x03', '\x04'])('typing %j gives no password', async (keys) => {
  expect((await typing(keys)).outcome).toMatch(/^no password given/);
});

test.each([
  ['the first line\nanother\n', 'the first line'],
  ['with blanks around \r\n', 'with blanks around '],
  ['without an end', 'without an end'],
])('of the standard input %j the password is the first line', async (piped, password) => {
  const input = new PassThrough();
  input.end(piped);
  expect(await readNewPassword(input, new PassThrough())).toBe(password);
});

test('an empty standard input is refused', async () => {
  const input = new PassThrough();
  input.end();
  await expect(readNewPassword(input, new PassThrough())).rejects.toThrow('no password given');
});
