import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../api/session.tsx';
import { homeOf, placeAt, placesOf } from './navigation.ts';
import { UserMenu } from './user-menu.tsx';
import { Wordmark } from './wordmark.tsx';

/** The frame of every page after sign-in. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { kind } = useSession();
  const [path] = useLocation();
  const current = placeAt(kind, path);
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="bar">
        <div className="bar-inner">
          <Link className="wordmark" href={homeOf(kind)}>
            <Wordmark />
          </Link>
          <nav className="bar-nav" aria-label="Console">
            <ul>
              {placesOf(kind).map((place) => (
                <li key={place.path}>
                  <Link
                    href={place.path}
                    data-label={place.label}
                    aria-current={markOf(place.path, path, place === current)}
                  >
                    {place.label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <UserMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function markOf(place: string, path: string, isCurrent: boolean): 'page' | 'true' | undefined {
  if (!isCurrent) return undefined;
  return place === path ? 'page' : 'true';
}
