import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../../api/session.tsx';
import { type Kind, likelyKind } from '../../parts/navigation.ts';
import { usePageHeading } from '../../parts/page-heading.tsx';
import { Wordmark } from '../../parts/wordmark.tsx';
import { signInKinds } from './credentials.ts';
import { SignInForm } from './sign-in-form.tsx';
import { Streams } from './streams.tsx';
import './sign-in.css';

const kinds: readonly Kind[] = ['customer', 'partner', 'operator'];

export interface SignInPageProps {
  onSignedIn(session: Session): void;
}

export function SignInPage({ onSignedIn }: SignInPageProps) {
  const [path] = useLocation();
  const [kind, setKind] = useState(() => likelyKind(path));
  const heading = usePageHeading('Sign in');
  return (
    <div className="sign-in">
      <header className="sign-in-aside">
        <Streams />
        <p className="wordmark">
          <Wordmark />
        </p>
        <p className="sign-in-motto">Many files flow in. One picture of your audience comes out.</p>
      </header>
      <main className="sign-in-main">
        <h1 ref={heading} tabIndex={-1}>
          Sign in
        </h1>
        {path.startsWith('/console/authorize/') && (
          <p>An app wants to act for you. Sign in to see what it asks for.</p>
        )}
        <fieldset className="segmented">
          <legend className="visually-hidden">Sign in as</legend>
          {kinds.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="kind"
                value={each}
                checked={each === kind}
                onChange={() => setKind(each)}
              />
              <span>{signInKinds[each].label}</span>
            </label>
          ))}
        </fieldset>
        <SignInForm key={kind} kind={kind} onSignedIn={onSignedIn} />
      </main>
    </div>
  );
}
