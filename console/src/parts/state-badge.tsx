import { Icon, type IconName } from './icon.tsx';

export type State = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

const looks: Readonly<Record<State, { readonly icon: IconName; readonly word: string }>> = {
  pending: { icon: 'clock', word: 'Waiting' },
  running: { icon: 'running', word: 'Running' },
  done: { icon: 'check', word: 'Done' },
  failed: { icon: 'cross', word: 'Failed' },
  cancelled: { icon: 'dash', word: 'Cancelled' },
};

/** The word for each state. */
export const stateWords = Object.fromEntries(
  Object.entries(looks).map(([state, { word }]) => [state, word]),
) as Readonly<Record<State, string>>;

export interface StateBadgeProps {
  readonly state: State;
  /** A more specific word for the state. */
  readonly word?: string;
}

/** Colour, icon and word all show the state. */
export function StateBadge({ state, word }: StateBadgeProps) {
  const look = looks[state];
  return (
    <span className={`state state-${state}`}>
      <Icon name={look.icon} />
      {word ?? look.word}
    </span>
  );
}
