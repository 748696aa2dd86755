import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { type ConsoleApi, createConsoleApi, createSignInApi } from './client.ts';
import { answerOf, type Problem, problemOf } from './problem.ts';
import type { SessionWire } from './wire.ts';

export type Session = SessionWire;

interface SignedIn {
  readonly session: Session;
  readonly api: ConsoleApi;
  onSignedOut(): void;
}

export interface SessionProviderProps {
  readonly children: ReactNode;
  /** What stands here instead of the children, at whatever path, until somebody has signed in. */
  signIn(onSignedIn: (session: Session) => void): ReactNode;
  /** What is shown if it cannot be found out who is signed in. */
  unknown(problem: Problem, retry: () => void): ReactNode;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** Its children exist only while somebody is signed in, and anew for everybody who signs in. */
export function SessionProvider({ children, signIn, unknown }: SessionProviderProps) {
  const [session, setSession] = useState<Session | null>();
  const [problem, setProblem] = useState<Problem>();

  const ask = useCallback(async () => {
    try {
      const found = await currentSession();
      // The same session keeps its object, so that nothing below is drawn again for it.
      setSession((known) =>
        known && found && known.session_id === found.session_id ? known : found,
      );
      setProblem(undefined);
    } catch (thrown) {
      setProblem(problemOf(thrown));
    }
  }, []);

  useEffect(() => {
    void ask();
    // Somebody may have signed out meanwhile in another tab or window, or signed in as somebody else.
    const askAgain = () => {
      if (document.visibilityState === 'visible') void ask();
    };
    document.addEventListener('visibilitychange', askAgain);
    window.addEventListener('focus', askAgain);
    return () => {
      document.removeEventListener('visibilitychange', askAgain);
      window.removeEventListener('focus', askAgain);
    };
  }, [ask]);

  if (session === undefined) return problem === undefined ? null : unknown(problem, ask);
  if (session === null) return signIn(setSession);
  return (
    <SignedInProvider
      key={session.session_id}
      session={session}
      onSignedOut={() => setSession(null)}
    >
      {children}
    </SignedInProvider>
  );
}

interface SignedInProviderProps {
  readonly session: Session;
  readonly children: ReactNode;
  onSignedOut(): void;
}

function SignedInProvider({ session, children, onSignedOut }: SignedInProviderProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it does the same each time.
  const signedIn = useMemo<SignedIn>(
    () => ({ session, api: createConsoleApi(session.csrf_token, onSignedOut), onSignedOut }),
    [session],
  );
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
}

async function currentSession(): Promise<Session | null> {
  return (await answerOf(createSignInApi().GET('/v1/console/session'))) ?? null;
}

function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('a page stands outside of the session');
  return signedIn;
}

export function useSession(): Session {
  return useSignedIn().session;
}

export function useApi(): ConsoleApi {
  return useSignedIn().api;
}

/** To be told when the service no longer knows the session. The path stays as it is. */
export function useSignedOut(): () => void {
  return useSignedIn().onSignedOut;
}

/** Ends the session. Whoever signs in next begins at their own home. */
export function useSignOut(): () => Promise<void> {
  const { api, onSignedOut } = useSignedIn();
  const [, navigate] = useLocation();
  return async () => {
    await answerOf(api.DELETE('/v1/console/session'));
    navigate('/console/sign-in');
    onSignedOut();
  };
}
