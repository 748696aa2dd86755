import { expect, test } from 'vitest';
import { colours } from './colours.ts';
import { referenceStylesheet } from './stylesheet.ts';

type Palette = Readonly<Record<string, string>>;

function paletteOf(block: string): Palette {
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour]),
  );
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(colour = ''): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(palette: Palette, text: string, ground: string): number {
  const pair = [luminance(palette[text]), luminance(palette[ground])];
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}

const [light = '', dark = '', paper = ''] = colours.split(/^@media .*$/m);
const schemes: [string, Palette][] = [
  ['light', paletteOf(light)],
  ['dark', { ...paletteOf(light), ...paletteOf(dark) }],
  ['paper', { ...paletteOf(light), ...paletteOf(paper) }],
];
const code = ['ink', 'quiet', 'string', 'keyword', 'constant', 'name'];

test.each(schemes)('%s: every text colour is readable on every background', (_name, palette) => {
  const pairs = [
    ...['ink', 'quiet', 'accent'].flatMap((text) =>
      ['page', 'raised', 'accent-wash'].map((ground) => [text, ground]),
    ),
    ...['good', 'warn', 'bad'].flatMap((text) => ['page', 'raised'].map((each) => [text, each])),
    ...code.flatMap((text) => ['code-ground', 'code-bar'].map((each) => [`code-${text}`, each])),
    ['on-accent', 'accent'],
  ];
  for (const [text = '', ground = ''] of pairs) {
    expect(contrast(palette, text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  }
});

test.each(schemes)('%s: the borders of controls can be seen', (_name, palette) => {
  for (const ground of ['page', 'raised']) {
    expect(contrast(palette, 'line-strong', ground), ground).toBeGreaterThanOrEqual(3);
  }
});

test('the stylesheet fetches nothing', () => {
  expect(referenceStylesheet).not.toMatch(/url\(|@import|@font-face/);
});

test('the braces are balanced', () => {
  expect(referenceStylesheet.split('{').length).toBe(referenceStylesheet.split('}').length);
});
