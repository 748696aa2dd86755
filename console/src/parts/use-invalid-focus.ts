import { type RefObject, useEffect } from 'react';

/** Focuses the first invalid field of a form whenever errors were found. */
export function useInvalidFocus(form: RefObject<HTMLFormElement | null>, faults: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form itself marks invalid fields.
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
    field?.focus();
    field?.select();
  }, [faults]);
}
