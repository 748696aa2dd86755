import { createHash } from 'node:crypto';
import { standardId } from '../../../src/domain/privacy/standard-id.ts';

/** The hash of an identifier, as DROP lists it. */
export function hashOfMaid(text: string): string {
  return createHash('sha256').update(standardId(text)!).digest('base64');
}
