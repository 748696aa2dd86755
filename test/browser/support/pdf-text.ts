import { inflateSync } from 'node:zlib';

export interface PdfText {
  readonly pages: number;
  /** The texts in the order in which they are drawn, without line breaks. */
  readonly text: string;
}

/** Reads a PDF of Chromium: glyphs are written in hex, and each font has a table of their characters. */
export function readPdf(pdf: Buffer): PdfText {
  const source = pdf.toString('latin1');
  const objects = new Map(
    [...source.matchAll(/(\d+) 0 obj\r?\n([\s\S]*?)endobj/g)].map(([, id, body]) => [id!, body!]),
  );
  const fonts = new Map<string, Map<string, string>>();
  for (const [id, body] of objects) {
    const [, table] = /\/ToUnicode (\d+) 0 R/.exec(body) ?? [];
    if (table) fonts.set(`F${id}`, charactersOf(streamOf(objects.get(table) ?? '')));
  }
  const drawn = [...objects.values()].map((body) => drawnText(streamOf(body), fonts));
  return { pages: source.match(/\/Type \/Page\b/g)?.length ?? 0, text: drawn.join(' ') };
}

function streamOf(body: string): string {
  const [, raw] = /stream\r?\n([\s\S]*?)\r?\nendstream/.exec(body) ?? [];
  if (raw === undefined || !body.includes('/FlateDecode')) return raw ?? '';
  return inflateSync(Buffer.from(raw, 'latin1')).toString('latin1');
}

/** Each glyph's characters, from a ToUnicode table. */
function charactersOf(table: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const [, lines = ''] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph = '', text = ''] of lines.matchAll(/<(\w+)> *<(\w+)>/g)) {
      characters.set(glyph.toLowerCase(), textOfHex(text));
    }
  }
  for (const [, lines = ''] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, from = '', to = '', first = ''] of lines.matchAll(/<(\w+)> *<(\w+)> *<(\w+)>/g)) {
      const start = Number.parseInt(from, 16);
      for (let glyph = start; glyph <= Number.parseInt(to, 16); glyph++) {
        const character = Number.parseInt(first, 16) + glyph - start;
        characters.set(
          glyph.toString(16).padStart(from.length, '0'),
          String.fromCodePoint(character),
        );
      }
    }
  }
  return characters;
}

function textOfHex(hex: string): string {
  return Buffer.from(hex, 'hex').swap16().toString('utf16le');
}

function drawnText(content: string, fonts: ReadonlyMap<string, Map<string, string>>): string {
  let font: ReadonlyMap<string, string> | undefined;
  let text = '';
  for (const [token, name, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<(\w+)>|\bET\b/g)) {
    if (name) font = fonts.get(name);
    else if (glyphs) {
      for (const glyph of glyphs.match(/.{4}/g) ?? []) text += font?.get(glyph.toLowerCase()) ?? '';
    } else if (token === 'ET') text += ' ';
  }
  return text;
}
