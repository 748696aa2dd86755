import type { Kind } from '../../parts/navigation.ts';

export interface Credential {
  readonly name: 'email' | 'password' | 'api_key' | 'admin_token';
  readonly label: string;
  readonly type: 'email' | 'password';
  readonly autoComplete: string;
  /** What is said if it is left empty. */
  readonly missing: string;
}

export interface SignInKind {
  readonly label: string;
  readonly hint: string;
  readonly credentials: readonly [Credential, ...Credential[]];
}

/** With what each kind of people signs in. */
export const signInKinds: Readonly<Record<Kind, SignInKind>> = {
  customer: {
    label: 'Customer',
    hint: 'See who is in your audiences. The operator of this service makes your account.',
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
    hint: 'Upload, import and follow it. The key is the one that you call the API with.',
    credentials: [
      {
        name: 'api_key',
        label: 'API key',
        type: 'password',
        autoComplete: 'current-password',
        missing: 'Enter your API key: it begins with trib_key_.',
      },
    ],
  },
  operator: {
    label: 'Operator',
    hint: 'Provision partners and customers. The token is in the file admin-token of the data folder.',
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
