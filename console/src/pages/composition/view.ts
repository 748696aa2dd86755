import { type Order, orders } from './ordering.ts';

/** The filter and order of a report, kept in the address so that a link shows the same. */
export interface View {
  readonly order: Order;
  readonly search: string;
  /** null: attributes without a category; undefined: all. */
  readonly category: string | null | undefined;
  readonly isGrouped: boolean;
  /** What the audience is compared with, as in the API. */
  readonly baseline: string;
}

export const plainView: View = {
  order: 'over',
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
  if (view.search !== '') parameters.set('search', view.search);
  if (view.category === null) parameters.set('uncategorised', '');
  else if (view.category !== undefined) parameters.set('category', view.category);
  if (view.isGrouped) parameters.set('grouped', '');
  if (view.baseline !== plainView.baseline) parameters.set('baseline', view.baseline);
  return parameters.toString();
}
