import { useEffect, useState } from 'react';
import { answerOf, type Problem, problemOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { addressWithin } from './address-within.ts';

/** Sends the decision once, then follows the redirect of the service. */
export function useDecision(uid: string, onGone: () => void) {
  const api = useApi();
  const [decided, setDecided] = useState<boolean>();
  const [problem, setProblem] = useState<Problem>();

  async function decide(allow: boolean): Promise<void> {
    // Stays set until the browser has left the page, so a second click does nothing.
    setDecided(allow);
    setProblem(undefined);
    try {
      const params = { path: { uid } };
      const { redirect_to } = await answerOf(
        api.POST('/v1/console/authorizations/{uid}', { params, body: { allow } }),
      );
      location.assign(addressWithin(location.origin, redirect_to));
    } catch (thrown) {
      const failure = problemOf(thrown);
      if (failure.status === 404) onGone();
      else setProblem(failure);
      setDecided(undefined);
    }
  }

  // The back button restores the page with its state, so reset the decision.
  useEffect(() => {
    const reset = () => setDecided(undefined);
    window.addEventListener('pageshow', reset);
    return () => window.removeEventListener('pageshow', reset);
  }, []);

  return { decide, decided, problem };
}
