import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { pageSize } from './use-shown.ts';

/** Buttons that show more rows or fewer. */
export function ShowMore({
  shown,
  total,
  things,
  printed,
  onShow,
}: {
  shown: number;
  total: number;
  things: string;
  /** Continues the count on paper if some are not shown. */
  printed?: string;
  onShow: (shown: number) => void;
}) {
  if (total <= pageSize) return null;
  const more = Math.min(pageSize, total - shown);
  return (
    <div className="show-more">
      <span className="muted">
        {count(Math.min(shown, total))} of {count(total)} {things}
        {printed !== undefined && more > 0 && <span className="print-only"> {printed}</span>}
      </span>
      {more > 0 && <Button onClick={() => onShow(shown + more)}>Show {more} more</Button>}
      {more > 0 && shown + more < total && (
        <Button onClick={() => onShow(total)}>Show all {count(total)}</Button>
      )}
      {shown > pageSize && <Button onClick={() => onShow(pageSize)}>Show fewer</Button>}
    </div>
  );
}
