import { Icon, type IconName } from './icon.tsx';

export type State = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

const looks: Readonly<Record<State, { readonly icon: IconName; readonly word: string }>> = {
  pending: { icon: 'clock', word: 'Waiting' },
  running: { icon: 'running', word: 'Running' },
  done: { icon: 'check', word: 'Done' },
  failed: { icon: 'cross', word: 'Failed' },
  cancelled: { icon: 'dash', word: 'Cancelled' },
};

export interface StateBadgeProps {
  readonly state: State;
  /** Another word for the same, where it says more. */
  readonly word?: string;
}

/** Icon and word say the same as the colour does. */
export function StateBadge({ state, word }: StateBadgeProps) {
  const look = looks[state];
  return (
    <span className={`state state-${state}`}>
      <Icon name={look.icon} />
      {word ?? look.word}
    </span>
  );
}
