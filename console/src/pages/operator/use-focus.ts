import { type Ref, useEffect, useRef } from 'react';

/** Focuses an element when it appears, such as the first field of a dialog. */
export function useFocus<T extends HTMLElement>(): Ref<T> {
  const element = useRef<T>(null);
  // The dialog opens in a layout effect, which runs before this passive one.
  useEffect(() => element.current?.focus(), []);
  return element;
}
