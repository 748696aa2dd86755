#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { adminTokenFile, type Config, readConfig } from '../config/config.ts';
import { ConfigError, type Environment } from '../config/settings.ts';
import { readVersion } from '../config/version.ts';
import {
  apiKeyOption,
  createAddAction,
  type PartnerOptions,
  userTokenOption,
} from './commands/add-action.ts';
import { settingsHelp } from './commands/settings-help.ts';

/** The `tributary` command, for operators and partners, people and scripts. */
function buildProgram(): Command {
  const program = new Command('tributary')
    .description('Provision partners, monitor a Tributary service and load files into it.')
    .version(readVersion())
    .configureOutput({ outputError: (text, write) => write(withPrefix(text)) })
    .addHelpText('after', settingsHelp('command'));
  const add = (usage: string, description: string) =>
    program.command(usage).description(description);
  add('start', 'run the whole service: API, worker, database and object storage');
  add('partner', 'partners, who upload files and call the API');
  add('key', "partners' API keys");
  add('storage', "partners' storage credentials");
  add('customer', 'customers, for whom partners load audiences');
  add('user', "customers' users, who sign in to the console with e-mail and password");
  add('user-token', 'tokens that let a partner act for a customer');
  add('app', "partners' apps, which act for users who allow it (OAuth 2.0)");
  add('grant', "which partners' apps may act for which users");
  add('oauth-key', 'signing keys of the authorization server');
  add('secret-key', 'the key that encrypts stored secrets');
  add('admin-token', "the operator's token");
  add('session', 'sessions of the console');
  add('webhook', "partners' webhooks, to which events are sent");
  add('upload <partner> <file>', "upload a file to a partner's prefix, as the operator");
  add('status', 'show the queue and the stored data');
  add('usage', 'print what each partner used in each month, as CSV');
  add('audit', 'list who did what: calls of operators, writes of partners, users and apps');
  add('import <path>', 'queue the import of a file, or of every file below a path');
  add('watch', 'watches, which import the files that appear under a path');
  add('bucket-role', "print the trust policy for a role that reads the partner's own bucket");
  add('logs [id]', "show the partner's last 100 jobs, newest first, or one of them");
  add('rejects <job>', 'print the rows that a job rejected, as CSV');
  add('attribute', "the partner's attributes");
  add('audience', 'audiences and their composition');
  add('backup', 'back up the service, verify and restore backups');
  add('warehouse', 'where the device sets are, and how to move them');
  add('drop', "California's deletion lists: fetch, delete, report");
  add('privacy', 'delete devices for good, or show what is stored about them');
  add('doctor', 'look for present and coming problems, and say what to do');
  add('recover', 'start with a database that is older than the data dir');
  add('api', 'run one of any number of processes that serve the API and the console');
  add('migrate', 'upgrade the database to the schema of this version; each start also does it');
  add('worker', 'run one of any number of processes that load files');
  add('completion', 'print a script that completes commands in bash, zsh or fish');
  // Its options are described by `tributary demo --help`.
  program.command('demo', 'run a service with invented partners, devices and audiences', {
    executableFile: fileURLToPath(new URL('../../demo/main.ts', import.meta.url)),
  });
  return program;
}

/** Adds the options, subcommands and action of one command. Loads only that command's module, to start quickly. */
async function load(command: Command, program: Command): Promise<void> {
  switch (command.name()) {
    case 'partner':
      (await import('./commands/partner-commands.ts')).addPartnerCommands(command, operator);
      return (await import('./access/access-commands.ts')).addPartnerAccessCommands(
        command,
        operator,
      );
    case 'key':
      return (await import('./commands/api-key-commands.ts')).addApiKeyCommands(command, operator);
    case 'storage':
      return (await import('./commands/storage-commands.ts')).addStorageCommands(command, operator);
    case 'customer':
      (await import('./commands/customer-commands.ts')).addCustomerCommands(command, operator);
      return (await import('./access/access-commands.ts')).addCustomerAccessCommands(
        command,
        operator,
      );
    case 'user':
      return (await import('./commands/user-commands.ts')).addUserCommands(command, operator);
    case 'user-token':
      return (await import('./commands/user-token-commands.ts')).addUserTokenCommands(
        command,
        operator,
      );
    case 'app':
      return (await import('./commands/app-commands.ts')).addAppCommands(command, operator);
    case 'grant':
      return (await import('./commands/grant-commands.ts')).addGrantCommands(command, operator);
    case 'oauth-key':
      return (await import('./commands/oauth-key-commands.ts')).addOauthKeyCommands(
        command,
        operator,
      );
    case 'secret-key':
      return (await import('./commands/secret-key-commands.ts')).addSecretKeyCommands(
        command,
        operator,
      );
    case 'admin-token':
      return (await import('./access/admin-token-commands.ts')).addAdminTokenCommands(
        command,
        operator,
      );
    case 'session':
      return (await import('./commands/session-commands.ts')).addSessionCommands(command, operator);
    case 'webhook':
      return (await import('./access/webhook-commands.ts')).addWebhookCommands(command, operator);
    case 'upload':
      return (await import('./commands/upload-command.ts')).addUploadCommand(command, operator);
    case 'status':
      return (await import('./commands/service-commands.ts')).addStatusCommand(command, operator);
    case 'usage':
      return (await import('./access/usage-command.ts')).addUsageCommand(command, operator);
    case 'audit':
      return (await import('./access/audit-command.ts')).addAuditCommand(command, operator);
    case 'import':
      return (await import('./commands/import-command.ts')).addImportCommand(command, partner);
    case 'watch':
      return (await import('./sources/watch-commands.ts')).addWatchCommands(command, partner);
    case 'bucket-role':
      return (await import('./sources/bucket-role-command.ts')).addBucketRoleCommand(
        command,
        partner,
      );
    case 'logs':
      return (await import('./commands/logs-command.ts')).addLogsCommand(command, partner);
    case 'rejects':
      return (await import('./commands/rejects-command.ts')).addRejectsCommand(command, partner);
    case 'attribute':
      return (await import('./commands/attribute-commands.ts')).addAttributeCommands(
        command,
        partner,
      );
    case 'audience':
      return (await import('./commands/audience-commands.ts')).addAudienceCommands(
        command,
        partnerOrCustomer,
      );
    case 'backup':
      return (await import('./commands/backup-commands.ts')).addBackupCommands(
        command,
        configHere,
        connectOperator,
      );
    case 'warehouse':
      return (await import('./warehouse/warehouse-commands.ts')).addWarehouseCommands(
        command,
        operator,
      );
    case 'drop':
      return (await import('./privacy/drop-commands.ts')).addDropCommands(command, operator);
    case 'privacy':
      return (await import('./privacy/privacy-commands.ts')).addPrivacyCommands(command, operator);
    case 'doctor':
      return (await import('./commands/doctor-command.ts')).addDoctorCommand(
        command,
        configHere,
        connectOperator,
      );
    case 'recover':
      return (await import('./commands/recover-command.ts')).addRecoverCommand(command, configHere);
    case 'migrate':
      return (await import('./commands/serve-commands.ts')).addMigrateCommand(command, configHere);
    case 'start':
      return (await import('./commands/serve-commands.ts')).addStartCommand(
        command,
        configHere,
        process.env,
      );
    case 'completion': {
      for (const each of program.commands) if (each !== command) await load(each, program);
      return (await import('./completion/completion-command.ts')).addCompletionCommand(
        command,
        program,
      );
    }
    case 'api':
      return (await import('./commands/serve-commands.ts')).addApiCommand(command, configHere);
    case 'worker':
      return (await import('./commands/serve-commands.ts')).addWorkerCommand(command, configHere);
  }
}

const operator = createAddAction(connectOperator);
const partner = createAddAction(connectPartner, [apiKeyOption]);
const partnerOrCustomer = createAddAction(connectPartner, [apiKeyOption, userTokenOption]);

function connectOperator() {
  const config = configHere();
  return createClient(config, adminToken(config));
}

function connectPartner({ apiKey, userToken }: PartnerOptions) {
  return createClient(configHere(), apiKey, userToken);
}

async function createClient(config: Config, token: string, userToken?: string) {
  const client = await import('../client/client.ts');
  return client.createClient(config.serviceUrl ?? config.publicUrl, token, userToken);
}

function adminToken(config: Config): string {
  if (config.adminToken !== null) return config.adminToken;
  const file = adminTokenFile(config.dataDir);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`TRIBUTARY_ADMIN_TOKEN is not set and ${file} cannot be read`, { cause });
  }
}

function configHere(settings: Environment = {}): Config {
  return readConfig({ ...process.env, ...settings }, process.cwd());
}

/** The errors of commander, like all others. */
function withPrefix(text: string): string {
  return text.replace(/^error: /, 'tributary: ');
}

try {
  const program = buildProgram();
  // `tributary help <command>` also needs the command's own help.
  const [first, second] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const name = first === 'help' ? second : first;
  const command = program.commands.find((each) => each.name() === name);
  if (command) await load(command, program);
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`tributary: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
