import { type ReactNode, useEffect, useRef } from 'react';
import { usePageHeading } from '../../parts/page-heading.tsx';
import { Wordmark } from '../../parts/wordmark.tsx';
import { Streams } from './streams.tsx';
import './sign-in.css';

/** A page for somebody who is not signed in. Its first field has the focus. */
export function SignInLayout({ title, children }: { title: string; children: ReactNode }) {
  const heading = usePageHeading(title);
  const main = useRef<HTMLElement>(null);
  // Only once: a user who changes the form with the arrow keys stays there.
  useEffect(() => main.current?.querySelector<HTMLElement>('.field input')?.focus(), []);
  return (
    <div className="sign-in">
      <header className="sign-in-aside">
        <Streams />
        <p className="wordmark">
          <Wordmark />
        </p>
        <p className="sign-in-motto">Many files flow in. One picture of your audience comes out.</p>
      </header>
      <main ref={main} className="sign-in-main">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </main>
    </div>
  );
}
