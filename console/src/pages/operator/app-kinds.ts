import type { AppKind } from './use-apps.ts';

/** The kinds of apps, in words for people. */
export const kindWords: Readonly<
  Record<AppKind, { readonly label: string; readonly meaning: string }>
> = {
  confidential: { label: 'Confidential', meaning: 'Runs on a server, which can keep a secret.' },
  public: {
    label: 'Public',
    meaning: 'Runs in a browser or on a phone, which cannot keep a secret.',
  },
};
