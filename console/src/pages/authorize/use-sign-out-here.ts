import { answerOf } from '../../api/problem.ts';
import { useApi, useSignedOut } from '../../api/session.tsx';

/** Ends the session, but stays at this address: whoever signs in next is asked the same. */
export function useSignOutHere(): () => Promise<void> {
  const api = useApi();
  const onSignedOut = useSignedOut();
  return async () => {
    await answerOf(api.DELETE('/v1/console/session'));
    onSignedOut();
  };
}
