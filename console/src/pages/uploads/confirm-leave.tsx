import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

/** Asks for confirmation before a link of the console interrupts running uploads. */
export function ConfirmLeave({ isBusy }: { readonly isBusy: boolean }) {
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
    // In the capture phase, before the router handles the click.
    document.addEventListener('click', holdBack, { capture: true });
    return () => document.removeEventListener('click', holdBack, { capture: true });
  }, [isBusy]);

  if (target === undefined) return null;
  return (
    <ConfirmDialog
      title="Leave while files are uploading?"
      confirmLabel="Leave"
      onConfirm={async () => navigate(target)}
      onClose={() => setTarget(undefined)}
    >
      <p>Unfinished uploads are cancelled and must be started again.</p>
    </ConfirmDialog>
  );
}

/** The path to which a click leads in this tab; undefined if it stays or opens another tab. */
function pathLeftFor(event: MouseEvent): string | undefined {
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || link === null || link.target !== '' || link.hasAttribute('download')) return;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== window.location.origin || pathname === window.location.pathname) return;
  return `${pathname}${search}${hash}`;
}
