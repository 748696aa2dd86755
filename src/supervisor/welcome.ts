import { adminTokenFile, type Config, readConfig } from '../config/config.ts';
import type { Sandbox } from './sandbox.ts';

/** What is printed when the service is up: where it is, and on the first start what to do next. */
export function welcome(config: Config, sandbox: Sandbox | null): string {
  const lines = [
    `Tributary listens on ${config.listenUrl}`,
    ...(config.publicUrl === config.listenUrl ? [] : [`  reached at   ${config.publicUrl}`]),
    `  reference    ${config.publicUrl}/docs`,
    ...(config.objects.kind === 'disk' ? [`  uploads      ${config.objects.publicUrl}`] : []),
    `  data         ${config.dataDir}`,
    ...(config.adminToken === null ? [`  admin token  ${adminTokenFile(config.dataDir)}`] : []),
  ];
  return `${[...lines, ...(sandbox ? firstSteps(config, sandbox) : [])].join('\n')}\n`;
}

function firstSteps(config: Config, sandbox: Sandbox): string[] {
  const { partner, apiKey } = sandbox;
  const imports = `${config.publicUrl}/v1/marketplace/import`;
  return [
    '',
    `A partner called ${partner.name} is ready. Its API key is shown this once:`,
    `  ${apiKey}`,
    '',
    ...storageSteps(config, sandbox),
    'Upload the example file, import it, and watch:',
    `  ${commandLine(config)} upload ${partner.name} examples/devices.csv`,
    `  curl ${imports} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"file_path": "devices.csv", "key_type": 1}'`,
    `  curl ${imports} -H 'Authorization: Bearer ${apiKey}'`,
    '',
  ];
}

function storageSteps({ objects, bucket }: Config, { partner, storage }: Sandbox): string[] {
  if (objects.kind !== 'disk' || !storage) return [];
  return [
    'So are its storage credentials, for any S3 client:',
    `  export AWS_ACCESS_KEY_ID=${storage.accessKeyId} AWS_SECRET_ACCESS_KEY=${storage.secretAccessKey}`,
    `  aws s3 cp <file> s3://${bucket}/${partner.prefix} --endpoint-url ${objects.publicUrl} --region us-east-1`,
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
