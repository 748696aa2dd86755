#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { adminTokenFile, type Config, readConfig } from '../config/config.ts';
import { ConfigError, type Environment } from '../config/settings.ts';
import { addApiKeyCommands } from './commands/api-key-commands.ts';
import { addAppCommands } from './commands/app-commands.ts';
import { addAttributeCommands } from './commands/attribute-commands.ts';
import { addAudienceCommands } from './commands/audience-commands.ts';
import { addCustomerCommands } from './commands/customer-commands.ts';
import { addGrantCommands } from './commands/grant-commands.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addLogsCommand } from './commands/logs-command.ts';
import { addOauthKeyCommands } from './commands/oauth-key-commands.ts';
import { addPartnerCommands } from './commands/partner-commands.ts';
import { addServeCommands } from './commands/serve-commands.ts';
import { addServiceCommands } from './commands/service-commands.ts';
import { addSessionCommands } from './commands/session-commands.ts';
import { addStorageCommands } from './commands/storage-commands.ts';
import { addUploadCommand } from './commands/upload-command.ts';
import { addUserCommands } from './commands/user-commands.ts';
import { addUserTokenCommands } from './commands/user-token-commands.ts';
import type { Connect } from './connect/connection.ts';
import type { ConnectPartner } from './connect/partner-connection.ts';

/** The `tributary` command: what operators and partners do, for people and for scripts. */
function buildProgram(connect: Connect, connectPartner: ConnectPartner): Command {
  const program = new Command('tributary')
    .description('Provision partners, look after a Tributary service, and load files into it.')
    .addHelpText(
      'after',
      `
Settings, from the environment:
  TRIBUTARY_URL          where the service is (default: as it would start here)
  TRIBUTARY_ADMIN_TOKEN  the operator's token (default: the one in the data dir)
  TRIBUTARY_DATA_DIR     where the data dir is (default: data)
  TRIBUTARY_API_KEY      a partner's key, for import, logs, attribute and audience
  TRIBUTARY_USER_TOKEN   for whom a partner acts, for audience (default: for itself)`,
    );
  addPartnerCommands(program, connect);
  addApiKeyCommands(program, connect);
  addStorageCommands(program, connect);
  addCustomerCommands(program, connect);
  addUserCommands(program, connect);
  addUserTokenCommands(program, connect);
  addAppCommands(program, connect);
  addGrantCommands(program, connect);
  addOauthKeyCommands(program, connect);
  addSessionCommands(program, connect);
  addUploadCommand(program, connect);
  addServiceCommands(program, connect);
  addImportCommand(program, connectPartner);
  addLogsCommand(program, connectPartner);
  addAttributeCommands(program, connectPartner);
  addAudienceCommands(program, connectPartner);
  addServeCommands(program, configHere);
  return program;
}

async function adminToken(config: Config): Promise<string> {
  if (config.adminToken !== null) return config.adminToken;
  const file = adminTokenFile(config.dataDir);
  const token = await readFile(file, 'utf8').catch((cause) => {
    throw new ConfigError(`TRIBUTARY_ADMIN_TOKEN is not set and ${file} cannot be read`, { cause });
  });
  return token.trim();
}

function addressOf(config: Config): string {
  return config.serviceUrl ?? config.publicUrl;
}

function configHere(settings: Environment = {}): Config {
  return readConfig({ ...process.env, ...settings }, process.cwd());
}

const program = buildProgram(
  async () => {
    const config = configHere();
    return createClient(addressOf(config), await adminToken(config));
  },
  ({ apiKey, userToken }) => createClient(addressOf(configHere()), apiKey, userToken),
);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`tributary: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
