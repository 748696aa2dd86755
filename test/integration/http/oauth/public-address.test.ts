import { expect, test } from 'vitest';
import { freshRecords } from '../../../support/database.ts';
import { redirectUri, serveAuthorization } from '../../../support/oauth.ts';

/** The address of a TLS proxy that serves us under a path. */
const address = 'https://service.example/tributary';

test('behind a proxy every link has the public address, and cookies are secure', async () => {
  await using database = await freshRecords();
  const { records } = database;
  const { partnerId } = await records.partners.create('acme');
  const kind = 'public' as const;
  const app = { name: 'Audience Loader', kind, redirectUris: [redirectUri] };
  const { clientId } = await records.oauthApps.create(partnerId, app);
  await using server = await serveAuthorization(records, address);

  const metadata = await fetch(`${server.url}/.well-known/oauth-authorization-server`);
  expect(await metadata.json()).toMatchObject({
    issuer: address,
    authorization_endpoint: `${address}/oauth/authorize`,
    token_endpoint: `${address}/oauth/token`,
  });

  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  });
  const sent = await fetch(`${server.url}/oauth/authorize?${parameters}`, { redirect: 'manual' });
  const location = sent.headers.get('location')!;
  expect(location).toMatch(/^https:\/\/service\.example\/tributary\/console\/authorize\/[\w-]+$/);
  const uid = location.split('/').at(-1);
  const cookies = sent.headers.getSetCookie();
  expect(cookies).toHaveLength(3);
  for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly/i);
  const resume = cookies.find((cookie) => cookie.startsWith('tributary-authorization='));
  expect(resume).toContain(`; path=/tributary/oauth/authorize/${uid};`);
  const mark = cookies.find((cookie) => cookie.startsWith('__Host-tributary-browser='));
  expect(mark).toContain('; path=/;');
});
