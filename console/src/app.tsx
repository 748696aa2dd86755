import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { SessionProvider, useSession } from './api/session.tsx';
import { PasswordLinkPage } from './pages/sign-in/password-link-page.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { Clock } from './parts/clock.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { NoAccessPage, NotFoundPage, UnreachablePage } from './parts/error-pages.tsx';
import { homeOf } from './parts/navigation.ts';
import { PageHeadings } from './parts/page-heading.tsx';
import { Shell } from './parts/shell.tsx';
import { loneRoutes, routes } from './routes.ts';

/** Without a session the sign-in is shown at the requested address, which stays after sign-in. */
export function App() {
  return (
    <PageHeadings>
      <Clock>
        <Switch>
          <Route path="/console/password">
            <PasswordLinkPage />
          </Route>
          <Route>
            <SessionProvider
              signIn={(onSignedIn) => <SignInPage onSignedIn={onSignedIn} />}
              unknown={(problem, retry) => <UnreachablePage problem={problem} retry={retry} />}
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
          </Route>
        </Switch>
      </Clock>
    </PageHeadings>
  );
}

function CurrentPage() {
  const { kind } = useSession();
  const [path] = useLocation();
  return (
    // Each address is a fresh page: state is not kept, even if the component is the same.
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
              {kinds.includes(kind) ? <Page /> : <NoAccessPage />}
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
