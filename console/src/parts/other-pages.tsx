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
        <ButtonLink href={homeOf(kind)}>To your start page</ButtonLink>
      </p>
    </Page>
  );
}

/** Somebody follows a link that was meant for others, or for themselves under another name. */
export function NotForYouPage() {
  const { kind, name } = useSession();
  const signOut = useAction(useSignOut());
  return (
    <Page title="Not for you" subtitle={`You are signed in as ${name}, who has no such page.`}>
      <div className="actions">
        <ButtonLink href={homeOf(kind)}>To your start page</ButtonLink>
        <Button onClick={() => signOut.run()}>Sign in as somebody else</Button>
      </div>
      <ProblemNote problem={signOut.problem} />
    </Page>
  );
}

export interface NotReachedPageProps {
  readonly problem: Problem;
  retry(): void;
}

/** Before it is known who is signed in, there is nothing else to show. */
export function NotReachedPage({ problem, retry }: NotReachedPageProps) {
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
