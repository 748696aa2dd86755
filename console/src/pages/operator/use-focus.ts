import { type Ref, useEffect, useRef } from 'react';

/** The element that has the focus when it appears, such as the first field of a dialog. */
export function useFocus<T extends HTMLElement>(): Ref<T> {
  const element = useRef<T>(null);
  // Passive effects come after layout effects, in one of which a dialog opens.
  useEffect(() => element.current?.focus(), []);
  return element;
}
