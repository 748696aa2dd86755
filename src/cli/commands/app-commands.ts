import type { Command } from 'commander';
import { answerOf, ProblemAnswer } from '../../client/client.ts';
import { type Connect, findApp, findPartnerId } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

interface NewAppOptions extends OutputOptions {
  readonly name: string;
  readonly redirectUri: string[];
  readonly public?: boolean;
}

interface ChangeOptions extends OutputOptions {
  readonly name?: string;
  readonly redirectUri?: string[];
}

interface AppChange {
  readonly name?: string;
  readonly redirect_uris?: string[];
  readonly disabled?: boolean;
}

const redirectUri = '--redirect-uri <address>';

export function addAppCommands(program: Command, connect: Connect): void {
  const app = program
    .command('app')
    .description("partners' apps, which act for users who allow it (OAuth 2.0)");

  app
    .command('create <partner>')
    .description('register an app of a partner, by id or name; its secret is shown this once')
    .requiredOption('--name <text>', 'what users are shown')
    .requiredOption(redirectUri, 'where browsers may be sent back to; give it once for each', also)
    .option('--public', 'it runs in a browser or on a device, and can keep no secret')
    .option('--json', 'print JSON')
    .action(async (partner: string, options: NewAppOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
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
      const client_secret = created.client_secret ?? 'none, for it is public';
      print(created, card({ ...created, client_secret }), options);
    });

  app
    .command('list <partner>')
    .description("list a partner's apps, without their secrets")
    .option('--json', 'print JSON')
    .action(async (partner: string, options: OutputOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const apps = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/oauth-apps', { params: { path } }),
      );
      const rows = apps.map((each) => ({
        'client id': each.client_id,
        name: each.name,
        kind: each.kind,
        state: each.is_disabled ? 'disabled' : 'enabled',
        created: each.created_at,
        'redirect addresses': each.redirect_uris.join(' '),
      }));
      print(apps, table(rows, 'The partner has no apps.'), options);
    });

  app
    .command('change <partner> <app>')
    .description('change an app, by client id or name')
    .option('--name <text>', 'what users are shown from now on')
    .option(redirectUri, 'in place of all that it has; give it once for each', also)
    .option('--json', 'print JSON')
    .action(async (partner: string, which: string, options: ChangeOptions) => {
      const { name, redirectUri: redirect_uris } = options;
      if (name === undefined && redirect_uris === undefined) {
        throw new ProblemAnswer('say what to change: --name, --redirect-uri or both');
      }
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(redirect_uris === undefined ? {} : { redirect_uris }),
      };
      await change(partner, which, body, 'is changed', options);
    });

  app
    .command('disable <partner> <app>')
    .description('stop an app; its tokens are refused from the next request on')
    .option('--json', 'print JSON')
    .action((partner: string, which: string, options: OutputOptions) =>
      change(partner, which, { disabled: true }, 'is disabled', options),
    );

  app
    .command('enable <partner> <app>')
    .description('let an app go on, with the tokens it has')
    .option('--json', 'print JSON')
    .action((partner: string, which: string, options: OutputOptions) =>
      change(partner, which, { disabled: false }, 'is enabled', options),
    );

  app
    .command('secret <partner> <app>')
    .description("replace an app's secret; the one before is refused from the next request on")
    .option('--json', 'print JSON')
    .action(async (partner: string, which: string, options: OutputOptions) => {
      const client = await connect();
      const path = await findApp(client, partner, which);
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}/secret', {
          params: { path },
        }),
      );
      print(created, card({ client_id: path.client_id, ...created }), options);
    });

  app
    .command('remove <partner> <app>')
    .description('remove an app, with its tokens and what users have allowed it')
    .option('--json', 'print JSON')
    .action(async (partner: string, which: string, options: OutputOptions) => {
      const client = await connect();
      const path = await findApp(client, partner, which);
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}', {
          params: { path },
        }),
      );
      print({ removed: path.client_id }, `App ${path.client_id} is removed.`, options);
    });

  async function change(
    partner: string,
    which: string,
    body: AppChange,
    outcome: string,
    options: OutputOptions,
  ): Promise<void> {
    const client = await connect();
    const path = await findApp(client, partner, which);
    await answerOf(
      client.PATCH('/admin/v1/partners/{partner_id}/oauth-apps/{client_id}', {
        params: { path },
        body,
      }),
    );
    print({ changed: path.client_id }, `App ${path.client_id} ${outcome}.`, options);
  }
}

/** An option that may be given several times. */
function also(value: string, before: string[] = []): string[] {
  return [...before, value];
}
