import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/**
 * Reads a new password: typed twice without echo, or the first line of standard input. It is never
 * a command-line argument, because every process of the machine can read those.
 */
export async function readNewPassword(
  input: Readable & { readonly isTTY?: boolean },
  prompts: Writable,
): Promise<string> {
  const password = input.isTTY ? await typedTwice(input, prompts) : await firstLine(input);
  if (password === '') throw new Error('no password given: type it, or pass it on standard input');
  return password;
}

async function firstLine(input: Readable): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  return '';
}

async function typedTwice(input: Readable, prompts: Writable): Promise<string> {
  // The line editor must neither echo the password nor keep it in a history.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input, output: discard, terminal: true, historySize: 0 });
  // The iterator buffers lines that arrive before their prompt, for example pasted ones.
  const lines = editor[Symbol.asyncIterator]();
  const prompted = async (prompt: string): Promise<string> => {
    prompts.write(prompt);
    const { value, done } = await lines.next();
    prompts.write('\n');
    return done ? '' : value;
  };
  try {
    const first = await prompted('New password: ');
    if (first === '') return '';
    if ((await prompted('Repeat password: ')) !== first)
      throw new Error('the passwords do not match');
    return first;
  } finally {
    editor.close();
  }
}
