import type { ReactNode, Ref } from 'react';
import { classes } from './classes.ts';
import { count } from './format.ts';
import { Moment } from './moment.tsx';
import { TableScroll } from './table-scroll.tsx';

export interface Column<T> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** Repeats the label in each cell where a narrow screen shows rows as cards. */
  readonly isCardLabelled?: boolean;
  /** For the heading and the cells alike: `num` for figures, `wide-only` for what phones omit. */
  readonly className?: string;
  cell(row: T): ReactNode;
}

export interface DataTableProps<T> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly T[];
  /** The first column holds the row headings. */
  readonly columns: readonly Column<NoInfer<T>>[];
  readonly className?: string;
  readonly ref?: Ref<HTMLElement>;
  keyOf(row: NoInfer<T>): string | number;
  classOf?(row: NoInfer<T>): string;
  /** The buttons at the end of a row. */
  actions?(row: NoInfer<T>): ReactNode;
}

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, rows, columns, className, ref, keyOf, classOf, actions } = props;
  const [heading, ...others] = columns;
  return (
    <TableScroll label={label} ref={ref}>
      <table className={classes('data', className)}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={column.className}>
                <span className={column.isLabelHidden ? 'visually-hidden' : undefined}>
                  {column.label}
                </span>
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={classOf?.(row)}>
              <th scope="row" className={heading?.className}>
                {heading?.cell(row)}
              </th>
              {others.map((column) => (
                <td
                  key={column.label}
                  className={column.className}
                  data-label={column.isCardLabelled ? column.label : undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
              {actions && <td className="row-actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

/** A column of times, null for never. */
export function timeColumn<Key extends string>(
  label: string,
  key: Key,
  className = '',
): Column<{ readonly [K in Key]?: string | null }> {
  return { label, className, cell: (row) => <Moment at={row[key] ?? null} /> };
}

/** A column of counts. */
export function countColumn<Key extends string>(
  label: string,
  key: Key,
): Column<{ readonly [K in Key]: number }> {
  return { label, className: 'num', isCardLabelled: true, cell: (row) => count(row[key]) };
}
