import { TributaryError } from './errors.ts';

/** The refusal of a right credential whose partner or customer the operator has disabled. */
export function accessDisabled(): TributaryError {
  return new TributaryError('forbidden', 'Access is disabled. Ask the operator to enable it.');
}
