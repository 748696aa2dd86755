import type { Connection } from '../../api/live-feed.ts';

const words: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, reconnecting',
};

/** Whether the page is up to date. Always rendered, so it moves nothing. */
export function LiveMark({ connection }: { readonly connection: Connection }) {
  return (
    <span className="live-mark" data-connection={connection} role="status">
      {words[connection]}
    </span>
  );
}
