import { useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AskedFor } from './asked-for.tsx';
import './authorize.css';
import { NobodyToAsk, NothingAsked } from './dead-ends.tsx';
import { StandsAlone } from './stands-alone.tsx';
import { useAgainAt } from './use-again-at.ts';

/** Where an app has sent the browser, to be let act for whoever sits there. */
export function AuthorizePage() {
  const { kind } = useSession();
  return (
    <StandsAlone>{kind === 'customer' ? <Question /> : <NobodyToAsk kind={kind} />}</StandsAlone>
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
  // That the time is over is for the service to say: the clock here may be wrong.
  useAgainAt(asked.data?.expires_at, asked.reload);

  if (asked.problem?.status === 404) return <NothingAsked />;
  if (asked.data) return <AskedFor uid={uid} asked={asked.data} onGone={asked.reload} />;
  return (
    <ProblemNote problem={asked.problem}>
      <Button onClick={asked.reload}>Try again</Button>
    </ProblemNote>
  );
}
