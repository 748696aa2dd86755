import { useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useSession, useSignOut } from '../api/session.tsx';
import { useAction } from '../api/use-action.ts';
import { Icon } from './icon.tsx';
import { menuOf } from './navigation.ts';
import { ProblemNote } from './problem-note.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** The name of the signed-in user, with a menu for the account and signing out. */
export function UserMenu() {
  const session = useSession();
  const signOut = useAction(useSignOut());
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();

  useEffect(() => {
    if (!isOpen) return;
    const left = new AbortController();
    const { signal } = left;
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside, { signal });
    document.addEventListener('focusin', closeOutside, { signal });
    document.addEventListener(
      'keydown',
      ({ key }) => {
        if (key !== 'Escape') return;
        setOpen(false);
        button.current?.focus();
      },
      { signal },
    );
    return () => left.abort();
  }, [isOpen]);

  return (
    <div className="menu" ref={root}>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-expanded={isOpen}
        aria-controls={panelId}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{session.name}</span>
        <Icon name="down" />
      </button>
      <div className="menu-panel" id={panelId} hidden={!isOpen}>
        <p className="menu-who">
          <strong>{session.name}</strong>
          <span className="muted">{roleOf(session)}</span>
        </p>
        {menuOf(session.kind).map(({ label, path }) => (
          <Link key={path} className="menu-item" href={path} onClick={() => setOpen(false)}>
            {label}
          </Link>
        ))}
        <a className="menu-item" href="/docs">
          API reference
        </a>
        <div className="menu-theme">
          <ThemeSwitch />
        </div>
        <button type="button" className="menu-item" onClick={() => signOut.run()}>
          Sign out
        </button>
        <ProblemNote problem={signOut.problem} />
      </div>
    </div>
  );
}

function roleOf({ kind, customer_name }: ReturnType<typeof useSession>): string {
  switch (kind) {
    case 'customer':
      return customer_name ?? 'Customer';
    case 'partner':
      return 'Partner';
    case 'operator':
      return 'Operator';
  }
}
