import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/**
 * A new password: typed twice, unseen, or the first line of what is piped in. It is never an
 * argument of a command, which every process of the machine could read.
 */
export async function readNewPassword(
  input: Readable & { readonly isTTY?: boolean },
  prompts: Writable,
): Promise<string> {
  const password = input.isTTY ? await typedTwice(input, prompts) : await firstLine(input);
  if (password === '') throw new Error('no password was given: type it, or pipe it in');
  return password;
}

async function firstLine(input: Readable): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  return '';
}

async function typedTwice(input: Readable, prompts: Writable): Promise<string> {
  // What a line editor would show of the password goes nowhere, and none of it into a history.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  // An iterator keeps lines that come before they are asked for, as pasted ones do.
  const lines = editor[Symbol.asyncIterator]();
  const asked = async (prompt: string): Promise<string> => {
    prompts.write(prompt);
    const { value, done } = await lines.next();
    prompts.write('\n');
    return done ? '' : value;
  };
  try {
    const first = await asked('New password: ');
    if (first === '') return '';
    if ((await asked('The same again: ')) !== first) throw new Error('the two passwords differ');
    return first;
  } finally {
    editor.close();
  }
}
