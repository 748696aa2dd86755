import { count } from '../../parts/format.ts';
import type { Attribute } from './attribute.ts';
import { AttributeName } from './attribute-name.tsx';
import { thresholdNote, withheldBecause, withheldOf } from './withheld.ts';

/** How many attributes the plot omits and why, with their names on demand. */
export function WithheldNote({ attributes }: { attributes: readonly Attribute[] }) {
  const withheld = withheldOf(attributes);
  if (withheld.length === 0) return null;
  return (
    <div className="withheld-note">
      {withheld.map(({ reason, attributes: same }) => (
        <details key={reason}>
          <summary>
            {count(same.length)} {same.length === 1 ? 'attribute is' : 'attributes are'} not shown:{' '}
            {withheldBecause[reason]}
          </summary>
          <ul>
            {same.map((attribute) => (
              <li key={attribute.id}>
                <AttributeName attribute={attribute} />
              </li>
            ))}
          </ul>
        </details>
      ))}
      <p className="muted">{thresholdNote}</p>
    </div>
  );
}
