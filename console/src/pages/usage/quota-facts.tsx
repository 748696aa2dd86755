import { count } from '../../parts/format.ts';

export interface QuotaFactsProps {
  readonly quotas: {
    readonly requests: number | null;
    readonly rows: number | null;
    readonly devices: number | null;
  };
}

export function QuotaFacts({ quotas }: QuotaFactsProps) {
  const shown = (quota: number | null) => (quota === null ? 'No quota' : count(quota));
  return (
    <dl className="usage-quotas">
      <dt>Requests per month</dt>
      <dd>{shown(quotas.requests)}</dd>
      <dt>Rows per month</dt>
      <dd>{shown(quotas.rows)}</dd>
      <dt>Devices in all attributes and audiences</dt>
      <dd>{shown(quotas.devices)}</dd>
    </dl>
  );
}
