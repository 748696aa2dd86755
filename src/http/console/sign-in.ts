import { type Static, Type } from 'typebox';
import { emailKey } from '../../domain/email.ts';
import { invalidInput } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { AttemptLimit } from '../../records/access/sign-in-attempts.ts';
import { networkOf } from '../server/client-address.ts';

/** The credentials of a sign-in. */
export type SignIn =
  | { readonly kind: 'customer'; readonly email: string; readonly password: string }
  | { readonly kind: 'partner'; readonly apiKey: string }
  | { readonly kind: 'operator'; readonly adminToken: string };

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@\\p{C}]+@[^\\s@\\p{C}]+$',
  examples: ['ada@harbor.example'],
});

const longestSecret = 256;
/** No lone surrogates: UTF-8 encodes all of them the same, so different secrets would have one hash. */
const wellFormed = '^\\P{Cs}*$';

/** The minimum length applies only to new passwords. */
export const NewPassword = Type.String({
  minLength: 12,
  maxLength: longestSecret,
  pattern: wellFormed,
  examples: ['a long sentence is a good password'],
});

export const Secret = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: longestSecret,
    pattern: wellFormed,
    examples: [example],
  });

export const SignInSchema = Type.Object(
  {
    email: Type.Optional(Email),
    password: Type.Optional(Secret('a long sentence is a good password')),
    api_key: Type.Optional(Secret('trib_key_…')),
    admin_token: Type.Optional(Secret('…')),
  },
  {
    additionalProperties: false,
    description: 'Either `email` and `password`, or `api_key`, or `admin_token`.',
  },
);

/** Throws unless the body holds exactly one kind of credentials. */
export function parseSignIn(body: Static<typeof SignInSchema>): SignIn {
  const { email, password, api_key, admin_token } = body;
  switch (Object.keys(body).sort().join()) {
    case 'email,password':
      return { kind: 'customer', email: email!, password: password! };
    case 'api_key':
      return { kind: 'partner', apiKey: api_key! };
    case 'admin_token':
      return { kind: 'operator', adminToken: admin_token! };
    default:
      throw invalidInput('', 'Send either email and password, or api_key, or admin_token.');
  }
}

/**
 * How many attempts may fail. Few for one account from one network, reset by a success. More for
 * one network and for one account, because other people may share either.
 */
export function attemptLimits(signIn: SignIn, address: string): AttemptLimit[] {
  const network = networkOf(address);
  const account = accountOf(signIn);
  const attempts: AttemptLimit[] = [
    {
      subject: `${account} from ${network}`,
      maxFailures: limits.accountSignInFailures.most,
      resetsOnSuccess: true,
    },
    {
      subject: `anybody from ${network}`,
      maxFailures: limits.networkSignInFailures.most,
      resetsOnSuccess: false,
    },
  ];
  if (signIn.kind === 'customer') {
    attempts.push({
      subject: `${account} from anywhere`,
      maxFailures: limits.userSignInFailures.most,
      resetsOnSuccess: false,
    });
  }
  return attempts;
}

/** API keys count by their public first part; the rest is the secret. */
function accountOf(signIn: SignIn): string {
  switch (signIn.kind) {
    case 'customer':
      return `user ${emailKey(signIn.email)}`;
    case 'partner':
      return `API key ${signIn.apiKey.slice(0, 'trib_key_0123456789abcdef'.length)}`;
    case 'operator':
      return 'operator';
  }
}
