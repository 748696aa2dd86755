import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

/** Asks before a link of the console is followed that would end what is under way here. */
export function LeaveQuestion({ isBusy }: { readonly isBusy: boolean }) {
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();

  useEffect(() => {
    if (!isBusy) return;
    function holdBack(event: MouseEvent): void {
      const path = pathLeftFor(event);
      if (path === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(path);
    }
    // Before the router, which listens further in, has seen it.
    document.addEventListener('click', holdBack, { capture: true });
    return () => document.removeEventListener('click', holdBack, { capture: true });
  }, [isBusy]);

  if (target === undefined) return null;
  return (
    <ConfirmDialog
      title="Leave while files are uploaded?"
      confirmLabel="Leave"
      onConfirm={async () => navigate(target)}
      onClose={() => setTarget(undefined)}
    >
      <p>Uploads that have not ended are stopped, and have to begin anew.</p>
    </ConfirmDialog>
  );
}

/** Where a click leads in this very tab; undefined if it leads nowhere or opens another. */
function pathLeftFor(event: MouseEvent): string | undefined {
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || link === null || link.target !== '' || link.hasAttribute('download')) return;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== window.location.origin || pathname === window.location.pathname) return;
  return `${pathname}${search}${hash}`;
}
