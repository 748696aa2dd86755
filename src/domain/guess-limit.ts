/** One use of a credential. Exactly one of its methods is called when the outcome is known. */
interface Guess {
  /** Null if the credential may be checked. Otherwise the seconds to wait; the guess does not count. */
  readonly waitSeconds: number | null;
  right(): void;
  wrong(): void;
  /** The check itself failed, for example because the database is unavailable. */
  drop(): void;
}

export interface GuessLimit {
  /** `credential` identifies what was presented, without being the secret. */
  begin(network: string, credential: string): Guess;
  /** Remembers a credential that was right or has just been issued. */
  trust(credential: string): void;
}

/**
 * Milliseconds of a clock that is never set. Whole, because with fractions the difference of two times is
 * sometimes a tiny bit too large, and a wait of 60 seconds would be rounded up to 61.
 */
export const monotonicMs = () => Math.floor(performance.now());

interface Window {
  readonly endsAt: number;
  failures: number;
  /** How often each credential is being checked now. A credential counts once. */
  readonly checked: Map<string, number>;
}

const windowMs = 60_000;
/** Beyond this number the oldest entries are dropped, which bounds memory during a flood. */
const maximumEntries = 100_000;

/**
 * Limits how many wrong credentials a network may present per minute. A credential counts as wrong while
 * it is checked, so parallel guesses cannot get around the limit. A credential that was right before is
 * always checked, so a client is not locked out by others in its network. Its own failures are counted
 * separately, because an expired or revoked credential is not a guess.
 */
export function createGuessLimit(perMinute: number, now: () => number = monotonicMs): GuessLimit {
  // Both are ordered, oldest first.
  const windows = new Map<string, Window>();
  const trusted = new Set<string>();

  function windowOf(subject: string): Window {
    const time = now();
    const current = windows.get(subject);
    if (current && time < current.endsAt) return current;
    windows.delete(subject);
    for (const [other, { endsAt }] of windows) {
      if (time < endsAt && windows.size < maximumEntries) break;
      windows.delete(other);
    }
    const next = { endsAt: time + windowMs, failures: 0, checked: new Map() };
    windows.set(subject, next);
    return next;
  }

  function trust(credential: string): void {
    trusted.delete(credential);
    trusted.add(credential);
    if (trusted.size > maximumEntries) trusted.delete(trusted.values().next().value!);
  }

  return {
    trust,

    begin(network, credential) {
      const own = `credential ${credential}`;
      if (trusted.has(credential) && failuresOf(own) < perMinute)
        return trustedGuess(own, credential);
      const window = windowOf(`network ${network}`);
      const { checked, endsAt, failures } = window;
      const others = checked.has(credential) ? checked.size - 1 : checked.size;
      if (failures + others < perMinute) return countedGuess(window, credential);
      // Credentials that are being checked may turn out right at any moment.
      const waitSeconds = failures < perMinute ? 1 : Math.ceil((endsAt - now()) / 1000);
      return { waitSeconds, right() {}, wrong() {}, drop() {} };
    },
  };

  function failuresOf(subject: string): number {
    const window = windows.get(subject);
    return window && now() < window.endsAt ? window.failures : 0;
  }

  function trustedGuess(subject: string, credential: string): Guess {
    return {
      waitSeconds: null,
      right: () => trust(credential),
      wrong() {
        windowOf(subject).failures += 1;
      },
      drop() {},
    };
  }

  function countedGuess(window: Window, credential: string): Guess {
    const { checked } = window;
    checked.set(credential, (checked.get(credential) ?? 0) + 1);
    function drop(): void {
      const uses = checked.get(credential) ?? 0;
      if (uses > 1) checked.set(credential, uses - 1);
      else checked.delete(credential);
    }
    return {
      waitSeconds: null,
      drop,
      right() {
        drop();
        trust(credential);
      },
      wrong() {
        drop();
        window.failures += 1;
      },
    };
  }
}
