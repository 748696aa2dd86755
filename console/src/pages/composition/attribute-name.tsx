import type { Attribute } from './attribute.ts';

/** A name with its ancestors muted, so the last part stands out. */
export function AttributeName({ attribute }: { attribute: Pick<Attribute, 'ancestors' | 'leaf'> }) {
  return (
    <span className="attribute-name">
      {attribute.ancestors.length > 0 && (
        <span className="attribute-path">{attribute.ancestors.join(' › ')} › </span>
      )}
      <bdi>{attribute.leaf}</bdi>
    </span>
  );
}
