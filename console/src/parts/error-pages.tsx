import type { Problem } from '../api/problem.ts';
import { useSession, useSignOut } from '../api/session.tsx';
import { useAction } from '../api/use-action.ts';
import { Button, ButtonLink } from './button.tsx';
import { homeOf } from './navigation.ts';
import { Page } from './page.tsx';
import { ProblemNote } from './problem-note.tsx';

export function NotFoundPage() {
  const { kind } = useSession();
  return (
    <Page title="Not found" subtitle="There is no page at this address.">
      <p>
        <ButtonLink href={homeOf(kind)}>Go to your home page</ButtonLink>
      </p>
    </Page>
  );
}

/** The link was meant for another user, or for another account of the same person. */
export function NoAccessPage() {
  const { kind, name } = useSession();
  const signOut = useAction(useSignOut());
  return (
    <Page
      title="No access"
      subtitle={`You don’t have access to this page. You’re signed in as ${name}.`}
    >
      <div className="actions">
        <ButtonLink href={homeOf(kind)}>Go to your home page</ButtonLink>
        <Button onClick={() => signOut.run()}>Sign in as another user</Button>
      </div>
      <ProblemNote problem={signOut.problem} />
    </Page>
  );
}

export interface UnreachablePageProps {
  readonly problem: Problem;
  retry(): void;
}

/** Shown if the session cannot be loaded. */
export function UnreachablePage({ problem, retry }: UnreachablePageProps) {
  return (
    <main>
      <Page title="Tributary">
        <ProblemNote problem={problem}>
          <Button onClick={retry}>Try again</Button>
        </ProblemNote>
      </Page>
    </main>
  );
}
