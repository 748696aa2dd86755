import { count } from '../../parts/format.ts';
import { type View, viewWords } from './view.ts';

interface PrintedViewProps {
  readonly view: Pick<View, 'search' | 'category' | 'order'>;
  readonly found: number;
  readonly total: number;
}

/** What the controls, which are not printed, say on the screen. */
export function PrintedView({ view, found, total }: PrintedViewProps) {
  return (
    <p className="print-only">
      {count(found)} of {count(total)} attributes. {viewWords(view).join('. ')}.
    </p>
  );
}
