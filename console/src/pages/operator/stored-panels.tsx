import { ShareBar } from '../../parts/bars.tsx';
import { bytes, count, counted, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import type { Status } from './wire.ts';

export function UniversePanel({ universe }: { readonly universe: Status['universe'] }) {
  return (
    <Panel title="Universe">
      <p className="operator-figure">
        {universe.backlog === 0 ? (
          'Up to date'
        ) : (
          <>
            {counted(universe.backlog, 'run', 'runs')} <span>behind</span>
          </>
        )}
      </p>
      <dl className="operator-facts">
        <dt>Version</dt>
        <dd>{count(universe.version)}</dd>
        <dt>Outdated audiences</dt>
        <dd>
          {count(universe.outdated_audiences)}
          {universe.outdated_audiences > 0 && universe.refresh_seconds !== null && (
            <span className="muted"> refreshed in about {duration(universe.refresh_seconds)}</span>
          )}
        </dd>
      </dl>
    </Panel>
  );
}

export function StoragePanel({ storage }: { readonly storage: Status['storage'] }) {
  const total = storage.object_bytes + storage.run_bytes;
  return (
    <Panel title="Storage">
      <p className="operator-figure">{bytes(total)}</p>
      <dl className="operator-facts operator-parts">
        <dt>Uploaded objects</dt>
        <dd>
          <Part
            bytesUsed={storage.object_bytes}
            total={total}
            what={counted(storage.objects, 'object', 'objects')}
          />
        </dd>
        <dt>Warehouse</dt>
        <dd>
          <Part
            bytesUsed={storage.run_bytes}
            total={total}
            what={counted(storage.runs, 'run', 'runs')}
          />
        </dd>
      </dl>
    </Panel>
  );
}

interface PartProps {
  readonly bytesUsed: number;
  readonly total: number;
  readonly what: string;
}

function Part({ bytesUsed, total, what }: PartProps) {
  return (
    <>
      <ShareBar share={total === 0 ? 0 : bytesUsed / total} label="Share of storage" />
      <span>
        {bytes(bytesUsed)} <span className="muted">in {what}</span>
      </span>
    </>
  );
}
