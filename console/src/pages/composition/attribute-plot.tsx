import { useMemo } from 'react';
import type { DescribedAttribute } from './attribute.ts';
import { Dumbbells } from './dumbbells.tsx';
import { ShowMore } from './show-more.tsx';
import { inPages, useShown } from './use-shown.ts';

/** The first rows of the plot, and the rest on demand. */
export function AttributePlot({
  ordered,
  listKey,
}: {
  ordered: readonly DescribedAttribute[];
  listKey: string;
}) {
  const [shown, setShown] = useShown(listKey);
  const attributes = useMemo(() => ordered.slice(0, shown), [ordered, shown]);
  const pages = useMemo(() => inPages(attributes), [attributes]);
  return (
    <>
      {pages.map((page, number) => (
        <Dumbbells key={page[0]?.id} attributes={page} common={attributes} hasHead={number === 0} />
      ))}
      <ShowMore
        shown={shown}
        total={ordered.length}
        things="attributes"
        printed="in the plot. The table below has all."
        onShow={setShown}
      />
    </>
  );
}
