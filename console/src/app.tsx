import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { SessionProvider, useSession } from './api/session.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { Clock } from './parts/clock.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { homeOf } from './parts/navigation.ts';
import { NotForYouPage, NotFoundPage, NotReachedPage } from './parts/other-pages.tsx';
import { PageHeadings } from './parts/page-heading.tsx';
import { Shell } from './parts/shell.tsx';
import { loneRoutes, routes } from './routes.ts';

/** Whoever is not signed in sees the sign-in at the very address they came to, and stays on it. */
export function App() {
  return (
    <PageHeadings>
      <Clock>
        <SessionProvider
          signIn={(onSignedIn) => <SignInPage onSignedIn={onSignedIn} />}
          unknown={(problem, retry) => <NotReachedPage problem={problem} retry={retry} />}
        >
          <Switch>
            {loneRoutes.map(({ path, Page }) => (
              <Route key={path} path={path}>
                <ErrorBoundary>
                  <Suspense>
                    <Page />
                  </Suspense>
                </ErrorBoundary>
              </Route>
            ))}
            <Route>
              <Shell>
                <CurrentPage />
              </Shell>
            </Route>
          </Switch>
        </SessionProvider>
      </Clock>
    </PageHeadings>
  );
}

function CurrentPage() {
  const { kind } = useSession();
  const [path] = useLocation();
  return (
    // Each address begins afresh: nothing of the page before stays, not even where it is the same.
    <ErrorBoundary key={path}>
      <Suspense>
        <Switch>
          {['/console', '/console/sign-in'].map((entrance) => (
            <Route key={entrance} path={entrance}>
              <Redirect to={homeOf(kind)} replace />
            </Route>
          ))}
          {routes.map(({ path, kinds, Page }) => (
            <Route key={path} path={path}>
              {kinds.includes(kind) ? <Page /> : <NotForYouPage />}
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
