import { time } from './print.ts';

/** Whether a partner or customer in a list may use the service. */
export function accessText({ disabled_at }: { readonly disabled_at: string | null }): string {
  return disabled_at === null ? 'enabled' : `disabled since ${time(disabled_at)}`;
}
