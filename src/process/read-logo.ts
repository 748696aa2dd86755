import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ConfigError } from '../config/settings.ts';

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const mostBytes = 256 * 1024;

/** The operator's logo. */
export async function readLogo(path: string): Promise<{ content: Buffer; type: string }> {
  const type = types[extname(path).toLowerCase()];
  if (type === undefined) {
    throw new ConfigError('TRIBUTARY_BRAND_LOGO must be a .svg, .png, .jpg or .webp file');
  }
  const content = await readFile(path).catch((error) => {
    throw new ConfigError(`TRIBUTARY_BRAND_LOGO cannot be read: ${error.message}`);
  });
  if (content.length > mostBytes) {
    throw new ConfigError('TRIBUTARY_BRAND_LOGO must not be larger than 256 KiB');
  }
  return { content, type };
}
