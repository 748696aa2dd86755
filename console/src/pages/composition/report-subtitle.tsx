import { StateBadge } from '../../parts/state-badge.tsx';
import { stateWord } from '../audiences/audience-words.ts';
import { stateOf } from '../imports/status.ts';
import type { ReportAudience } from './report.ts';

const words = {
  pending: 'Waiting to load',
  running: 'Loading',
  done: 'Loaded',
  failed: 'Loaded with errors',
};

/** The owners and the status of the audience. */
export function ReportSubtitle({ audience }: { audience: ReportAudience }) {
  const { partner_name, customer_name } = audience;
  const state = stateOf(audience);
  return (
    <>
      Audience composition
      {customer_name !== null && (
        <>
          {' '}
          for <bdi>{customer_name}</bdi>
        </>
      )}
      , loaded by <bdi>{partner_name}</bdi>{' '}
      <StateBadge
        state={state}
        word={stateWord(audience) === 'Cleared' ? 'Cleared' : words[state]}
      />
    </>
  );
}
