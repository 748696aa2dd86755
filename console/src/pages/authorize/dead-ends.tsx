import { useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { homeOf } from '../../parts/navigation.ts';
import { usePageHeading } from '../../parts/page-heading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSignOutHere } from './use-sign-out-here.ts';

/** Somebody else is signed in in this browser than an app can act for. */
export function NobodyToAsk({ kind }: { readonly kind: 'partner' | 'operator' }) {
  const title = 'This is for a customer’s user';
  const { name } = useSession();
  const signOut = useAction(useSignOutHere());
  return (
    <>
      <h1 ref={usePageHeading(title)} tabIndex={-1}>
        {title}
      </h1>
      <p>
        An app asks to act on behalf of a customer, and only somebody of that customer can allow it.
      </p>
      <p>
        You are signed in as{' '}
        {kind === 'partner' ? (
          <>
            <bdi>{name}</bdi>, a partner
          </>
        ) : (
          'the operator of this service'
        )}
        . Once you have signed in as a customer’s user, you are asked here.
      </p>
      <ProblemNote problem={signOut.problem} />
      <div className="authorize-actions">
        <Button kind="primary" onClick={() => signOut.run()}>
          Sign out and sign in as a customer’s user
        </Button>
      </div>
    </>
  );
}

/** Unknown, over, decided already, or begun in another browser: which of them is nobody's business. */
export function NothingAsked() {
  const title = 'There is nothing to decide here';
  const { kind } = useSession();
  return (
    <>
      <h1 ref={usePageHeading(title)} tabIndex={-1}>
        {title}
      </h1>
      <p>
        No app waits for you at this address: the time to decide is over, it was decided already, or
        it began in another browser.
      </p>
      <p>
        <strong>Go back to the app and begin again.</strong> If somebody sent you this address,
        there is nothing that you need to do.
      </p>
      <div className="authorize-actions">
        <ButtonLink href={homeOf(kind)}>To your start page</ButtonLink>
      </div>
    </>
  );
}
