#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { adminTokenFile, type Config, readConfig } from '../config.ts';
import { ConfigError, type Environment } from '../settings.ts';
import { addApiKeyCommands } from './api-key-commands.ts';
import { addAppCommands } from './app-commands.ts';
import { addAttributeCommands } from './attribute-commands.ts';
import { addAudienceCommands } from './audience-commands.ts';
import type { Connect } from './connection.ts';
import { addCustomerCommands } from './customer-commands.ts';
import { addGrantCommands } from './grant-commands.ts';
import { addImportCommand } from './import-command.ts';
import { addLogsCommand } from './logs-command.ts';
import { addOauthKeyCommands } from './oauth-key-commands.ts';
import { addPartnerCommands } from './partner-commands.ts';
import type { ConnectPartner } from './partner-connection.ts';
import { addServeCommands } from './serve-commands.ts';
import { addServiceCommands } from './service-commands.ts';
import { addSessionCommands } from './session-commands.ts';
import { addStorageCommands } from './storage-commands.ts';
import { addUploadCommand } from './upload-command.ts';
import { addUserCommands } from './user-commands.ts';
import { addUserTokenCommands } from './user-token-commands.ts';

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
