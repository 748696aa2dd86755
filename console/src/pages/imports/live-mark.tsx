import type { Connection } from '../../api/live-feed.ts';

const words: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
};

/** Whether what is on the page is how things stand now. Always there, so that nothing moves for it. */
export function LiveMark({ connection }: { readonly connection: Connection }) {
  return (
    <span className="live-mark" data-connection={connection} role="status">
      {words[connection]}
    </span>
  );
}
