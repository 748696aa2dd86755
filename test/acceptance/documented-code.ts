import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from './service.ts';

/** The first block of code in this language below a heading of a document. */
export async function codeIn(document: string, heading: string, language: string): Promise<string> {
  const text = await readFile(join(checkout, document), 'utf8');
  const [section = ''] = (text.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ');
  const code = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section)?.[1];
  if (code === undefined) throw new Error(`${document} has no ${language} code below "${heading}"`);
  return code;
}
