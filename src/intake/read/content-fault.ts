import type { FailureCode } from '../../domain/import-problems.ts';

/** Why a file's content cannot be read. This is expected and fails the file. */
export class ContentFault extends Error {
  override readonly name = 'ContentFault';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}
