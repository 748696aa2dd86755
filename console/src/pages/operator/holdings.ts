import { bytes, counted } from '../../parts/format.ts';

interface Words {
  readonly one: string;
  readonly many: string;
}

const words: Readonly<Record<string, Words>> = {
  api_keys: { one: 'API key', many: 'API keys' },
  storage_credentials: { one: 'storage credential', many: 'storage credentials' },
  apps: { one: 'app', many: 'apps' },
  user_tokens: { one: 'user token', many: 'user tokens' },
  users: { one: 'user', many: 'users' },
  grants: { one: 'grant to an app', many: 'grants to apps' },
  sessions: { one: 'console session', many: 'console sessions' },
  open_jobs: { one: 'pending or running job', many: 'pending or running jobs' },
  attributes: { one: 'attribute', many: 'attributes' },
  audiences: { one: 'audience', many: 'audiences' },
};

/** What a partner or customer has, in words; nothing for a count of zero. */
export function holdingsInWords(holdings: Readonly<Record<string, number>>): string[] {
  return Object.entries(holdings)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => {
      const { one, many } = words[name] ?? { one: name, many: name };
      return name === 'object_bytes' ? `${bytes(number)} of files` : counted(number, one, many);
    });
}
