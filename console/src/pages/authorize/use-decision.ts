import { useEffect, useState } from 'react';
import { answerOf, type Problem, problemOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { addressWithin } from './address-within.ts';

/** Says yes or no, once, and leaves for where the service sends the browser. */
export function useDecision(uid: string, onGone: () => void) {
  const api = useApi();
  const [decided, setDecided] = useState<boolean>();
  const [problem, setProblem] = useState<Problem>();

  async function decide(allow: boolean): Promise<void> {
    // It stays decided while the browser is on its way: a second click meets nothing to press.
    setDecided(allow);
    setProblem(undefined);
    try {
      const params = { path: { uid } };
      const { redirect_to } = await answerOf(
        api.POST('/v1/console/authorizations/{uid}', { params, body: { allow } }),
      );
      location.assign(addressWithin(location.origin, redirect_to));
    } catch (thrown) {
      const met = problemOf(thrown);
      if (met.status === 404) onGone();
      else setProblem(met);
      setDecided(undefined);
    }
  }

  // Whoever comes back to this page by the browser's button finds it as it was left.
  useEffect(() => {
    const comeBack = () => setDecided(undefined);
    window.addEventListener('pageshow', comeBack);
    return () => window.removeEventListener('pageshow', comeBack);
  }, []);

  return { decide, decided, problem };
}
