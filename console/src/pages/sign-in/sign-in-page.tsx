import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../../api/session.tsx';
import { type Kind, likelyKind } from '../../parts/navigation.ts';
import { sendsMail } from '../../parts/page-facts.ts';
import { signInKinds } from './credentials.ts';
import { ForgottenPage } from './forgotten-page.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

const kinds: readonly Kind[] = ['customer', 'partner', 'operator'];

export interface SignInPageProps {
  onSignedIn(session: Session): void;
}

export function SignInPage({ onSignedIn }: SignInPageProps) {
  const [path] = useLocation();
  const [kind, setKind] = useState(() => likelyKind(path));
  const [isForgotten, setForgotten] = useState(false);
  if (isForgotten) return <ForgottenPage onBack={() => setForgotten(false)} />;
  return (
    <SignInLayout title="Sign in">
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
      {kind === 'customer' && sendsMail() && (
        <p>
          <button type="button" className="link-button" onClick={() => setForgotten(true)}>
            Forgot password?
          </button>
        </p>
      )}
    </SignInLayout>
  );
}
