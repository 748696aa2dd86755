import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { pageSize } from './use-shown.ts';

/** Buttons that show more rows or fewer. */
export function ShowMore({
  shown,
  total,
  things,
  onShow,
}: {
  shown: number;
  total: number;
  things: string;
  onShow: (shown: number) => void;
}) {
  if (total <= pageSize) return null;
  const more = Math.min(pageSize, total - shown);
  return (
    <div className="show-more">
      <span className="muted">
        {count(Math.min(shown, total))} of {count(total)} {things}
      </span>
      {more > 0 && <Button onClick={() => onShow(shown + more)}>Show {more} more</Button>}
      {more > 0 && shown + more < total && (
        <Button onClick={() => onShow(total)}>Show all {count(total)}</Button>
      )}
      {shown > pageSize && <Button onClick={() => onShow(pageSize)}>Show fewer</Button>}
    </div>
  );
}
