import { relative, resolve } from 'node:path';
import { adminTokenFile, type Config, readConfig } from '../config/config.ts';
import type { Sandbox } from './sandbox.ts';

/** Printed when the service is ready: its addresses and, on the first start, the next steps. */
export function welcome(config: Config, sandbox: Sandbox | null): string {
  const lines = [
    `Tributary listens on ${config.listenUrl}`,
    ...(config.publicUrl === config.listenUrl ? [] : [`  public URL   ${config.publicUrl}`]),
    `  console      ${config.publicUrl}/console`,
    '               Sign in with the admin token as the operator, or with an API key as a partner.',
    `  API docs     ${config.publicUrl}/docs`,
    ...(config.objects.kind === 'disk' ? [`  S3 endpoint  ${config.objects.publicUrl}`] : []),
    `  data dir     ${config.dataDir}`,
    ...(config.adminToken === null ? [`  admin token  ${adminTokenFile(config.dataDir)}`] : []),
  ];
  return `${[...lines, ...(sandbox ? firstSteps(config, sandbox) : [])].join('\n')}\n`;
}

function firstSteps(config: Config, sandbox: Sandbox): string[] {
  const { partner, apiKey } = sandbox;
  const imports = `${config.publicUrl}/v1/marketplace/import`;
  return [
    '',
    `The partner "${partner.name}" is ready. Its API key, shown only once:`,
    `  ${apiKey}`,
    '',
    ...storageSteps(config, sandbox),
    'Upload the example file, import it and watch the import:',
    `  ${commandLine(config)} upload ${partner.name} ${quoted(exampleFile())}`,
    `  curl ${imports} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"file_path": "devices.csv", "key_type": 1}'`,
    `  ${commandLine(config)} logs --watch --api-key ${apiKey}`,
    '',
  ];
}

function storageSteps({ objects, bucket }: Config, { partner, storage }: Sandbox): string[] {
  if (objects.kind !== 'disk' || !storage) return [];
  return [
    'Its storage credentials, for any S3 client:',
    `  export AWS_ACCESS_KEY_ID=${storage.accessKeyId} AWS_SECRET_ACCESS_KEY=${storage.secretAccessKey}`,
    `  aws s3 cp <file> s3://${bucket}/${partner.prefix} --endpoint-url ${objects.publicUrl} --region us-east-1`,
    '',
  ];
}

/** The `tributary` command, with the settings it needs to find a service that is not at the defaults. */
function commandLine({ publicUrl, dataDir, startedByNpm }: Config): string {
  const defaults = readConfig({}, process.cwd());
  const settings = [
    ...(publicUrl === defaults.publicUrl ? [] : [`TRIBUTARY_URL=${quoted(publicUrl)}`]),
    ...(dataDir === defaults.dataDir ? [] : [`TRIBUTARY_DATA_DIR=${quoted(dataDir)}`]),
  ];
  return [...settings, startedByNpm ? 'npx tributary' : 'tributary'].join(' ');
}

/** As short as possible, because it is shown. */
function exampleFile(): string {
  const path = resolve(import.meta.dirname, '../../examples/devices.csv');
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
