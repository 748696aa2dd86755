import type { AppKind } from './use-apps.ts';

/** The kinds of apps, in words for people. */
export const kindWords: Readonly<
  Record<AppKind, { readonly label: string; readonly meaning: string }>
> = {
  confidential: { label: 'Confidential', meaning: 'It runs on a server and keeps a secret.' },
  public: {
    label: 'Public',
    meaning: 'It runs in a browser or on a phone, where no secret would stay one.',
  },
};
