import { adminTokenFile, type Config, readConfig } from '../config.ts';
import type { Sandbox } from './sandbox.ts';

/** What is printed when the service is up: where it is, and on the first start what to do next. */
export function welcome(config: Config, sandbox: Sandbox | null): string {
  const lines = [
    `Tributary listens on ${config.listenUrl}`,
    ...(config.publicUrl === config.listenUrl ? [] : [`  reached at   ${config.publicUrl}`]),
    `  reference    ${config.publicUrl}/docs`,
    `  data         ${config.dataDir}`,
    ...(config.adminToken === null ? [`  admin token  ${adminTokenFile(config.dataDir)}`] : []),
  ];
  return `${[...lines, ...(sandbox ? firstSteps(config, sandbox) : [])].join('\n')}\n`;
}

function firstSteps(config: Config, { partner, apiKey }: Sandbox): string[] {
  const imports = `${config.publicUrl}/v1/marketplace/import`;
  return [
    '',
    `A partner called ${partner.name} is ready. Its API key is shown this once:`,
    `  ${apiKey}`,
    '',
    'Upload the example file, import it, and watch:',
    `  ${commandLine(config)} object put ${partner.name} examples/devices.csv`,
    `  curl ${imports} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"file_path": "devices.csv", "key_type": 1}'`,
    `  curl ${imports} -H 'Authorization: Bearer ${apiKey}'`,
    '',
  ];
}

/** The command, told where the service is unless it is where the command looks by itself. */
function commandLine({ publicUrl, dataDir }: Config): string {
  const standard = readConfig({}, process.cwd());
  const settings = [
    ...(publicUrl === standard.publicUrl ? [] : [`TRIBUTARY_URL=${quoted(publicUrl)}`]),
    ...(dataDir === standard.dataDir ? [] : [`TRIBUTARY_DATA_DIR=${quoted(dataDir)}`]),
  ];
  return [...settings, 'npx tributary'].join(' ');
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
