import { memo, useMemo } from 'react';
import { count } from '../../parts/format.ts';
import { TableScroll } from '../../parts/table-scroll.tsx';
import { type Attribute, isDescribed } from './attribute.ts';
import { AttributeName } from './attribute-name.tsx';
import { indexText, intervalText, qText, shareText, zText } from './figures.ts';
import { type Column, columns, type Sort, sortAfterPress, sorted } from './ordering.ts';
import { ShowMore } from './show-more.tsx';
import { StandingMark } from './standing-mark.tsx';
import { usePrinting } from './use-printing.ts';
import { useShown } from './use-shown.ts';
import { withheldBecause } from './withheld.ts';

const titles: Record<Column, string> = {
  name: 'Attribute',
  audienceShare: 'Audience share',
  baselineShare: 'Baseline share',
  index: 'Index (95% interval)',
  z: 'z',
  q: 'q',
  audienceDevices: 'Devices',
};

/** All figures, sortable by each column. */
export function AttributeTable({
  attributes,
  sort,
  listKey,
  onSort,
}: {
  attributes: readonly Attribute[];
  sort: Sort;
  listKey: string;
  onSort: (sort: Sort) => void;
}) {
  const [shown, setShown] = useShown(listKey);
  const isPrinting = usePrinting() !== undefined;
  const rows = useMemo(() => sorted(attributes, sort), [attributes, sort]);
  const visible = isPrinting ? rows.length : shown;
  return (
    <>
      <TableScroll label="Table of attributes">
        <table className="data attribute-table">
          <thead>
            <tr>
              {columns.map((column) => (
                <SortHead
                  key={column}
                  column={column}
                  sort={sort}
                  onSort={() => onSort(sortAfterPress(sort, column))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, visible).map((attribute) => (
              <AttributeRow key={attribute.id} attribute={attribute} />
            ))}
          </tbody>
        </table>
      </TableScroll>
      <ShowMore shown={visible} total={rows.length} things="attributes" onShow={setShown} />
    </>
  );
}

function SortHead({ column, sort, onSort }: { column: Column; sort: Sort; onSort: () => void }) {
  const isSorted = sort.column === column;
  const direction = sort.isDescending ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      className={column === 'name' ? column : `num ${column}`}
      aria-sort={isSorted ? direction : 'none'}
      data-title={titles[column]}
    >
      <button type="button" className="sort-head" onClick={onSort}>
        <span>{titles[column]}</span>
        <span aria-hidden="true" className="sort-arrow">
          {isSorted && (sort.isDescending ? '↓' : '↑')}
        </span>
      </button>
    </th>
  );
}

/** Memoised, so a sort or a refresh renders only new rows. */
const AttributeRow = memo(function AttributeRow({ attribute }: { attribute: Attribute }) {
  const { audienceDevices, baselineShare, z, q } = attribute;
  return (
    <tr className={attribute.standing}>
      <th scope="row">
        <AttributeName attribute={attribute} />
      </th>
      {isDescribed(attribute) ? (
        <>
          <td className="num">{shareText(attribute.audienceShare)}</td>
          <td className="num">{shareText(attribute.baselineShare)}</td>
          <td className="num">
            <StandingMark standing={attribute.standing} />
            <span className="table-index">{indexText(attribute.index)}</span>
            <span className="table-interval">{intervalText(attribute)}</span>
          </td>
          <td className="num">{z === null ? '–' : zText(z)}</td>
          <td className="num">{q === null ? '–' : qText(q)}</td>
          <td className="num">{audienceDevices === null ? '–' : count(audienceDevices)}</td>
        </>
      ) : (
        <>
          <td className="num">–</td>
          <td className="num">{baselineShare === null ? '–' : shareText(baselineShare)}</td>
          <td colSpan={4} className="table-withheld">
            Not shown: {withheldBecause[attribute.reason ?? 'too_few_devices']}
          </td>
        </>
      )}
    </tr>
  );
});
