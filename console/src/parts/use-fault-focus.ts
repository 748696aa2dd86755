import { type RefObject, useEffect } from 'react';

/** Brings whoever filled in a form to the first field that has a fault, whenever faults were found. */
export function useFaultFocus(form: RefObject<HTMLFormElement | null>, faults: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the faults stand in the form itself.
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
    field?.focus();
    field?.select();
  }, [faults]);
}
