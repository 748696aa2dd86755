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
  /** Shown instead of the children, at any path, until a user signs in. */
  signIn(onSignedIn: (session: Session) => void): ReactNode;
  /** Shown if the session cannot be loaded. */
  unknown(problem: Problem, retry: () => void): ReactNode;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** Renders its children only while a user is signed in, and remounts them for each session. */
export function SessionProvider({ children, signIn, unknown }: SessionProviderProps) {
  const [session, setSession] = useState<Session | null>();
  const [problem, setProblem] = useState<Problem>();

  const check = useCallback(async () => {
    try {
      const found = await currentSession();
      // Keep the object of the same session, so nothing renders again.
      setSession((known) =>
        known && found && known.session_id === found.session_id ? known : found,
      );
      setProblem(undefined);
    } catch (thrown) {
      setProblem(problemOf(thrown));
    }
  }, []);

  useEffect(() => {
    void check();
    // The session may have changed in another tab or window.
    const checkAgain = () => {
      if (document.visibilityState === 'visible') void check();
    };
    document.addEventListener('visibilitychange', checkAgain);
    window.addEventListener('focus', checkAgain);
    return () => {
      document.removeEventListener('visibilitychange', checkAgain);
      window.removeEventListener('focus', checkAgain);
    };
  }, [check]);

  if (session === undefined) return problem === undefined ? null : unknown(problem, check);
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: onSignedOut always does the same.
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
  if (!signedIn) throw new Error('useSession must be used inside SessionProvider');
  return signedIn;
}

export function useSession(): Session {
  return useSignedIn().session;
}

export function useApi(): ConsoleApi {
  return useSignedIn().api;
}

/** To be called when the service no longer accepts the session. The path does not change. */
export function useSignedOut(): () => void {
  return useSignedIn().onSignedOut;
}

/** Ends the session. The next user starts at their own home page. */
export function useSignOut(): () => Promise<void> {
  const { api, onSignedOut } = useSignedIn();
  const [, navigate] = useLocation();
  return async () => {
    await answerOf(api.DELETE('/v1/console/session'));
    navigate('/console/sign-in');
    onSignedOut();
  };
}
