import type { ReactNode } from 'react';
import { classes } from '../../parts/classes.ts';

interface Column {
  readonly label: string;
  readonly isNumber?: boolean;
  /** Left out where there is little room; so are the cells with the class `operator-wide`. */
  readonly isWide?: boolean;
}

export interface ListTableProps {
  readonly caption: string;
  readonly columns: readonly (string | Column)[];
  /** Whether each row ends with what can be done with it. */
  readonly hasActions?: boolean;
  readonly className?: string;
  /** Its rows. */
  readonly children: ReactNode;
}

export function ListTable(props: ListTableProps) {
  const { caption, columns, hasActions = false, className, children } = props;
  return (
    <div className="data-scroll">
      <table className={classes('data', className)}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={labelOf(column)} column={column} />
            ))}
            {hasActions && <td />}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function ColumnHead({ column }: { readonly column: string | Column }) {
  const { isNumber = false, isWide = false } = typeof column === 'string' ? {} : column;
  return (
    <th scope="col" className={classes(isNumber && 'num', isWide && 'operator-wide')}>
      {labelOf(column)}
    </th>
  );
}

function labelOf(column: string | Column): string {
  return typeof column === 'string' ? column : column.label;
}
