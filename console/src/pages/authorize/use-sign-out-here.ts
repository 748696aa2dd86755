import { answerOf } from '../../api/problem.ts';
import { useApi, useSignedOut } from '../../api/session.tsx';

/** Ends the session but stays at this address, so the next user can decide. */
export function useSignOutHere(): () => Promise<void> {
  const api = useApi();
  const onSignedOut = useSignedOut();
  return async () => {
    await answerOf(api.DELETE('/v1/console/session'));
    onSignedOut();
  };
}
