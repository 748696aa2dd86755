import type { ReactNode } from 'react';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Wordmark } from '../../parts/wordmark.tsx';
import { Streams } from '../sign-in/streams.tsx';
import { useSignOutHere } from './use-sign-out-here.ts';

/** In the place of the shell: who is asked, and no way to get lost on. It looks as the sign-in does. */
export function StandsAlone({ children }: { readonly children: ReactNode }) {
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
