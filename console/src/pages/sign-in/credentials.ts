import type { Kind } from '../../parts/navigation.ts';

export interface Credential {
  readonly name: 'email' | 'password' | 'api_key' | 'admin_token';
  readonly label: string;
  readonly type: 'email' | 'password';
  readonly autoComplete: string;
  /** The error if the field is empty. */
  readonly missing: string;
}

export interface SignInKind {
  readonly label: string;
  readonly hint: string;
  readonly credentials: readonly [Credential, ...Credential[]];
}

/** The credentials of each kind of user. */
export const signInKinds: Readonly<Record<Kind, SignInKind>> = {
  customer: {
    label: 'Customer',
    hint: 'See who is in your audiences. The operator of this service creates your account.',
    credentials: [
      {
        name: 'email',
        label: 'E-mail',
        type: 'email',
        autoComplete: 'username',
        missing: 'Enter your e-mail address.',
      },
      {
        name: 'password',
        label: 'Password',
        type: 'password',
        autoComplete: 'current-password',
        missing: 'Enter your password.',
      },
    ],
  },
  partner: {
    label: 'Partner',
    hint: 'Upload and import files, and watch the progress. Use the key with which you call the API.',
    credentials: [
      {
        name: 'api_key',
        label: 'API key',
        type: 'password',
        autoComplete: 'current-password',
        missing: 'Enter your API key. It starts with trib_key_.',
      },
    ],
  },
  operator: {
    label: 'Operator',
    hint: 'Manage partners and customers. The token is in the file admin-token in the data dir.',
    credentials: [
      {
        name: 'admin_token',
        label: 'Admin token',
        type: 'password',
        autoComplete: 'current-password',
        missing: 'Enter the admin token.',
      },
    ],
  },
};
