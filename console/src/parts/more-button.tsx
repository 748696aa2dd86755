import type { Pages } from '../api/use-pages.ts';
import { Button } from './button.tsx';

/** Below a list that has more pages. */
export function MoreButton({ pages }: { readonly pages: Pages<unknown> }) {
  if (!pages.hasMore) return null;
  return (
    <p className="more">
      <Button disabled={pages.isWaiting} onClick={pages.showMore}>
        Show more
      </Button>
    </p>
  );
}
