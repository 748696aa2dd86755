import { useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AuthorizationRequest } from './authorization-request.tsx';
import './authorize.css';
import { AuthorizeLayout } from './authorize-layout.tsx';
import { ClosedRequest, WrongAccount } from './dead-ends.tsx';
import { useReloadAt } from './use-reload-at.ts';

/** The page to which an app sends users to ask for permission to act for them. */
export function AuthorizePage() {
  const { kind } = useSession();
  return (
    <AuthorizeLayout>
      {kind === 'customer' ? <Question /> : <WrongAccount kind={kind} />}
    </AuthorizeLayout>
  );
}

function Question() {
  const { uid = '' } = useParams();
  const api = useApi();
  const params = { path: { uid } };
  const asked = useAnswer(
    () => answerOf(api.GET('/v1/console/authorizations/{uid}', { params })),
    [api, uid],
  );
  // The service decides whether the request has expired, because the local clock may be wrong.
  useReloadAt(asked.data?.expires_at, asked.reload);

  if (asked.problem?.status === 404) return <ClosedRequest />;
  if (asked.data)
    return <AuthorizationRequest uid={uid} asked={asked.data} onGone={asked.reload} />;
  return (
    <ProblemNote problem={asked.problem}>
      <Button onClick={asked.reload}>Try again</Button>
    </ProblemNote>
  );
}
