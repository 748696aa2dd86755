import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Readiness } from './wire.ts';

export function ReadinessPanel({ readiness }: { readonly readiness: Readiness }) {
  const isReady = readiness.status === 'ready';
  return (
    <Panel title="Service">
      <p className="operator-figure">{isReady ? 'Ready' : 'Not ready'}</p>
      <ul className="operator-checks">
        {Object.entries(readiness.checks).map(([name, outcome]) => (
          <li key={name}>
            <span className="operator-check">{name}</span>
            {outcome === 'ok' ? (
              <StateBadge state="done" word="Available" />
            ) : (
              <StateBadge state="failed" word="Unavailable" />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
