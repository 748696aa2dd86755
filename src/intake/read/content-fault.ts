import type { FailureCode } from '../../domain/import-problems.ts';

/** Why a file's content cannot be had; expected, and turned into the file's failure. */
export class ContentFault extends Error {
  override readonly name = 'ContentFault';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}
