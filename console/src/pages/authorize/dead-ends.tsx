import { useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { homeOf } from '../../parts/navigation.ts';
import { usePageHeading } from '../../parts/page-heading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSignOutHere } from './use-sign-out-here.ts';

/** The signed-in account is not a customer's user, so an app cannot act for it. */
export function WrongAccount({ kind }: { readonly kind: 'partner' | 'operator' }) {
  const title = 'Sign in as a customer’s user';
  const { name } = useSession();
  const signOut = useAction(useSignOutHere());
  return (
    <>
      <h1 ref={usePageHeading(title)} tabIndex={-1}>
        {title}
      </h1>
      <p>An app wants to act on behalf of a customer. Only a user of that customer can allow it.</p>
      <p>
        You are signed in as{' '}
        {kind === 'partner' ? (
          <>
            <bdi>{name}</bdi>, a partner
          </>
        ) : (
          'the operator of this service'
        )}
        . Sign in as a customer’s user to decide.
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

/** Unknown, expired, already decided, or started in another browser. The page does not say which. */
export function ClosedRequest() {
  const title = 'This request is no longer open';
  const { kind } = useSession();
  return (
    <>
      <h1 ref={usePageHeading(title)} tabIndex={-1}>
        {title}
      </h1>
      <p>It has expired, it has already been decided, or it was started in another browser.</p>
      <p>
        <strong>Go back to the app and start again.</strong> If somebody sent you this link, you can
        ignore it.
      </p>
      <div className="authorize-actions">
        <ButtonLink href={homeOf(kind)}>Go to your home page</ButtonLink>
      </div>
    </>
  );
}
