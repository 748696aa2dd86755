import { limits } from '../../../domain/limits.ts';
import { invalidArgument } from './s3-error.ts';
import { uriEncodePath } from './uri.ts';

/** The page size: S3's maximum by default. */
export function limitOf(parameters: ReadonlyMap<string, string>, name: string): number {
  const text = parameters.get(name) ?? '';
  if (text === '') return limits.listedKeys.most;
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
    throw invalidArgument(`Provided ${name} not an integer or within integer range`, name, text);
  }
  return Math.min(Number(text), limits.listedKeys.most);
}

/** How keys are written in the response: as they are, or URL-encoded so that XML can contain any key. */
export function keyEncoding(parameters: ReadonlyMap<string, string>): {
  encode(key: string): string;
  readonly members: { readonly EncodingType?: string };
} {
  const type = parameters.get('encoding-type');
  if (type === undefined || type === '') return { encode: (key) => key, members: {} };
  if (type !== 'url') {
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', type);
  }
  return { encode: uriEncodePath, members: { EncodingType: type } };
}
