import type { Command } from 'commander';
import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';
import { appPath, partnerPath } from '../connect/find-by-name.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction, Outcome } from './add-action.ts';

interface NewAppOptions {
  readonly name: string;
  readonly redirectUri: string[];
  readonly public?: boolean;
}

interface AppChange {
  readonly name?: string;
  readonly redirect_uris?: string[];
  readonly disabled?: boolean;
}

const redirectUri = '--redirect-uri <url>';

export function addAppCommands(app: Command, addAction: AddAction): void {
  addAction(
    app
      .command('create <partner>')
      .description(
        "register a partner's app (partner by id or name); its secret is shown only once",
      )
      .requiredOption('--name <text>', 'the name that users see')
      .requiredOption(redirectUri, 'where browsers may be sent back to; repeatable', collect)
      .option('--public', 'the app runs in a browser or on a device and cannot keep a secret'),
    async (client, partner: string, options: NewAppOptions) => {
      const path = await partnerPath(client, partner);
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/oauth-apps', {
          params: { path },
          body: {
            name: options.name,
            kind: options.public ? 'public' : 'confidential',
            redirect_uris: options.redirectUri,
          },
        }),
      );
      const client_secret = created.client_secret ?? 'none (public app)';
      return { answer: created, text: card({ ...created, client_secret }) };
    },
  );

  addAction(
    app.command('list <partner>').description("list a partner's apps, without their secrets"),
    async (client, partner: string) => {
      const path = await partnerPath(client, partner);
      const apps = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/oauth-apps', { params: { path } }),
      );
      const rows = apps.map((each) => ({
        'client id': each.client_id,
        name: each.name,
        kind: each.kind,
        state: each.is_disabled ? 'disabled' : 'enabled',
        created: time(each.created_at),
        'redirect addresses': each.redirect_uris.join(' '),
      }));
      return { answer: apps, text: table(rows, 'The partner has no apps.') };
    },
  );

  addAction(
    app
      .command('change <partner> <app>')
      .description('change an app (client id or name)')
      .option('--name <text>', 'the new name that users see')
      .option(redirectUri, 'replaces all redirect addresses; repeatable', collect),
    async (client, partner: string, idOrName: string, options: Partial<NewAppOptions>) => {
      const { name, redirectUri: redirect_uris } = options;
      if (name === undefined && redirect_uris === undefined) {
        throw new ApiError('nothing to change: use --name, --redirect-uri or both');
      }
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(redirect_uris === undefined ? {} : { redirect_uris }),
      };
      return change(client, partner, idOrName, body, 'is changed');
    },
  );

  addAction(
    app
      .command('disable <partner> <app>')
      .description('disable an app; its tokens are refused from the next request'),
    (client, partner: string, idOrName: string) =>
      change(client, partner, idOrName, { disabled: true }, 'is disabled'),
  );

  addAction(
    app
      .command('enable <partner> <app>')
      .description('enable an app again; its existing tokens work again'),
    (client, partner: string, idOrName: string) =>
      change(client, partner, idOrName, { disabled: false }, 'is enabled'),
  );

  addAction(
    app
      .command('secret <partner> <app>')
      .description("replace an app's secret; the old secret is refused from the next request"),
    async (client, partner: string, idOrName: string) => {
      const path = await appPath(client, partner, idOrName);
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}/secret', {
          params: { path },
        }),
      );
      return { answer: created, text: card({ client_id: path.client_id, ...created }) };
    },
  );

  addAction(
    app.command('remove <partner> <app>').description('remove an app with its tokens and grants'),
    async (client, partner: string, idOrName: string) => {
      const path = await appPath(client, partner, idOrName);
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}', {
          params: { path },
        }),
      );
      const id = path.client_id;
      return { answer: { removed: id }, text: `App ${id} is removed.` };
    },
  );
}

async function change(
  client: TributaryClient,
  partner: string,
  idOrName: string,
  body: AppChange,
  outcome: string,
): Promise<Outcome> {
  const path = await appPath(client, partner, idOrName);
  await answerOf(
    client.PATCH('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}', {
      params: { path },
      body,
    }),
  );
  return { answer: { changed: path.client_id }, text: `App ${path.client_id} ${outcome}.` };
}

/** For an option that may be repeated. */
function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
