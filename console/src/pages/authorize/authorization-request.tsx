import type { AuthorizationWire } from '../../api/wire.ts';
import { Icon } from '../../parts/icon.tsx';
import { usePageHeading } from '../../parts/page-heading.tsx';
import { Decision } from './decision.tsx';

export interface AuthorizationRequestProps {
  readonly uid: string;
  readonly asked: AuthorizationWire;
  onGone(): void;
}

/**
 * What an app asks for. The app chooses its own name, so the name never appears within one of our
 * sentences, which it could continue.
 */
export function AuthorizationRequest({ uid, asked, onGone }: AuthorizationRequestProps) {
  const title = 'An app wants to act for you';
  const customer = <bdi>{asked.customer_name}</bdi>;
  const partner = <bdi>{asked.partner_name}</bdi>;
  return (
    <>
      <h1 ref={usePageHeading(title)} tabIndex={-1}>
        {title}
      </h1>
      <div className="authorize-parties">
        <dl>
          <dt>App</dt>
          <dd>
            <bdi className="authorize-party">{asked.app_name}</bdi>
          </dd>
          <dd className="muted">of {partner}</dd>
        </dl>
        <JoiningStreams />
        <dl>
          <dt>On behalf of</dt>
          <dd>
            <bdi className="authorize-party">{asked.customer_name}</bdi>
          </dd>
        </dl>
      </div>
      <section>
        <h2>It will be able to</h2>
        <ul className="authorize-list can">
          <li>
            <Icon name="check" />
            <span>load new audiences for {customer}</span>
          </li>
          <li>
            <Icon name="check" />
            <span>
              see the audiences that {partner} has loaded for {customer}, and their reports
            </span>
          </li>
          <li>
            <Icon name="check" />
            <span>append to these audiences and clear them</span>
          </li>
        </ul>
      </section>
      <section>
        <h2>It will not be able to</h2>
        <ul className="authorize-list cannot">
          <li>
            <Icon name="cross" />
            <span>see what other partners have loaded for {customer}</span>
          </li>
          <li>
            <Icon name="cross" />
            <span>act for any other customer</span>
          </li>
          <li>
            <Icon name="cross" />
            <span>sign in as you, or see or change your password</span>
          </li>
        </ul>
      </section>
      <div className="authorize-destination">
        <p>You will then be sent to</p>
        <p className="authorize-host">{asked.redirect_host}</p>
        <p className="muted">Do not allow the app if you do not recognise this address.</p>
      </div>
      <Decision uid={uid} onGone={onGone} />
      <p className="muted authorize-terms">
        You can decide until {timeOfDay(asked.expires_at)}. You can stop the app at any time under
        Connected apps.
      </p>
    </>
  );
}

/** From the app to the customer: a wider version of the wordmark. */
function JoiningStreams() {
  return (
    <svg className="authorize-streams" viewBox="0 0 56 40" aria-hidden="true">
      <path d="M2 6c26 0 20 14 40 14" strokeWidth="2" />
      <path d="M2 34c26 0 20-14 40-14" strokeWidth="2" />
      <path d="M2 20h40" strokeWidth="2" />
      <path d="M42 20h11" strokeWidth="4.5" />
    </svg>
  );
}

function timeOfDay(at: string): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
