#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { adminTokenFile, type Config, readConfig } from '../config.ts';
import { ConfigError } from '../settings.ts';
import { addApiKeyCommands } from './api-key-commands.ts';
import type { Connect } from './connection.ts';
import { addPartnerCommands } from './partner-commands.ts';
import { addServiceCommands } from './service-commands.ts';
import { addStorageCommands } from './storage-commands.ts';
import { addUploadCommand } from './upload-command.ts';

/** The `tributary` command: the operator interface, for people and for scripts. */
function buildProgram(connect: Connect): Command {
  const program = new Command('tributary')
    .description('Provision partners and look after a Tributary service.')
    .addHelpText(
      'after',
      `
Settings, from the environment:
  TRIBUTARY_URL          where the service is (default: as it would start here)
  TRIBUTARY_ADMIN_TOKEN  the operator's token (default: the one in the data dir)
  TRIBUTARY_DATA_DIR     where the data dir is (default: data)`,
    );
  addPartnerCommands(program, connect);
  addApiKeyCommands(program, connect);
  addStorageCommands(program, connect);
  addUploadCommand(program, connect);
  addServiceCommands(program, connect);
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

const program = buildProgram(async () => {
  const config = readConfig(process.env, process.cwd());
  return createClient(config.serviceUrl ?? config.publicUrl, await adminToken(config));
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`tributary: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
