import { columns, type Order, orderNames, orders, type Sort, sortOfOrder } from './ordering.ts';

/** The filter and order of a report, kept in the address so that a link shows the same. */
export interface View {
  readonly order: Order;
  /** Of the table, if a column was pressed. Otherwise it has the order of the plot. */
  readonly sort: Sort | undefined;
  readonly search: string;
  /** null: attributes without a category; undefined: all. */
  readonly category: string | null | undefined;
  readonly isGrouped: boolean;
  /** What the audience is compared with, as in the API. */
  readonly baseline: string;
}

export const plainView: View = {
  order: 'over',
  sort: undefined,
  search: '',
  category: undefined,
  isGrouped: false,
  baseline: 'universe',
};

export function viewOfQuery(query: string): View {
  const parameters = new URLSearchParams(query);
  const order = orders.find((known) => known === parameters.get('order'));
  return {
    order: order ?? plainView.order,
    sort: sortOfText(parameters.get('sort') ?? ''),
    search: parameters.get('search') ?? '',
    category: parameters.has('uncategorised') ? null : (parameters.get('category') ?? undefined),
    isGrouped: parameters.has('grouped'),
    baseline: parameters.get('baseline') || plainView.baseline,
  };
}

/** Only differences from the default view; `''` if there are none. */
export function queryOfView(view: View): string {
  const parameters = new URLSearchParams();
  if (view.order !== plainView.order) parameters.set('order', view.order);
  if (view.sort) parameters.set('sort', textOfSort(view.sort));
  if (view.search !== '') parameters.set('search', view.search);
  if (view.category === null) parameters.set('uncategorised', '');
  else if (view.category !== undefined) parameters.set('category', view.category);
  if (view.isGrouped) parameters.set('grouped', '');
  if (view.baseline !== plainView.baseline) parameters.set('baseline', view.baseline);
  return parameters.toString();
}

/** The order of the table. */
export function sortOf({ sort, order }: View): Sort {
  return sort ?? sortOfOrder[order];
}

/** The filter and order of the plot, as the controls show them. */
export function viewWords({
  search,
  category,
  order,
}: Pick<View, 'search' | 'category' | 'order'>): string[] {
  return [
    ...(category === undefined ? [] : [`Category: ${category ?? 'none'}`]),
    ...(search.trim() === '' ? [] : [`Names with: ${search.trim()}`]),
    orderNames[order],
  ];
}

/** A column, with a minus if it is descending. */
function textOfSort({ column, isDescending }: Sort): string {
  return isDescending ? `-${column}` : column;
}

function sortOfText(text: string): Sort | undefined {
  const isDescending = text.startsWith('-');
  const column = columns.find((known) => known === text.slice(isDescending ? 1 : 0));
  return column && { column, isDescending };
}
