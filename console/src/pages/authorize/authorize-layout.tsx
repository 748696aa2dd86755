import type { ReactNode } from 'react';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Wordmark } from '../../parts/wordmark.tsx';
import { Streams } from '../sign-in/streams.tsx';
import { useSignOutHere } from './use-sign-out-here.ts';

/** Replaces the shell: shows who is signed in, without navigation. Looks like the sign-in page. */
export function AuthorizeLayout({ children }: { readonly children: ReactNode }) {
  const { kind, name, customer_name } = useSession();
  const signOut = useAction(useSignOutHere());
  return (
    <div className="sign-in authorize">
      <header className="sign-in-aside">
        <Streams />
        <p className="wordmark">
          <Wordmark />
        </p>
        <p className="authorize-who">
          Signed in as <bdi className="authorize-name">{name}</bdi>
          {kind === 'customer' && (
            <>
              {' of '}
              <bdi>{customer_name}</bdi>
            </>
          )}{' '}
          <button type="button" className="authorize-not-you" onClick={() => signOut.run()}>
            Not you?
          </button>
        </p>
        <ProblemNote problem={signOut.problem} />
      </header>
      <main className="sign-in-main">{children}</main>
    </div>
  );
}
