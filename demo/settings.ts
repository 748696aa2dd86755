import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, type SettingName, settings } from '../src/config/settings.ts';

/** How the demo was started: from a checkout, or with the installed command. */
export const command =
  process.env.npm_lifecycle_event === 'demo' ? 'npm run demo --' : 'tributary demo';

export const usage = `${command} [--keep] [--exit] [--scale 0.1] [--data-dir <folder>]
  Starts a service and loads two partners, three million devices and three audiences.
  --keep      start with the data of the last demo, if it finished loading
  --exit      stop when everything is loaded
  --scale     load this share of the devices
  --data-dir  folder for all data (default: demo-data); emptied at the start
The addresses are set with TRIBUTARY_HOST, TRIBUTARY_PORT and TRIBUTARY_S3_PORT, as for the service.
`;

export interface Options {
  readonly keep: boolean;
  readonly exit: boolean;
  readonly help: boolean;
  readonly scale: number;
  readonly dataDir: string;
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      keep: { type: 'boolean', default: false },
      exit: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      scale: { type: 'string', default: '1' },
      'data-dir': { type: 'string', default: 'demo-data' },
    },
  });
  const { keep, exit, help } = values;
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1)) throw new Error('--scale must be greater than 0 and at most 1');
  return { keep, exit, help, scale, dataDir: resolve(values['data-dir']) };
}

const addressSettings: readonly string[] = [
  'TRIBUTARY_HOST',
  'TRIBUTARY_PORT',
  'TRIBUTARY_PUBLIC_URL',
  'TRIBUTARY_S3_PORT',
  'TRIBUTARY_S3_PUBLIC_URL',
] satisfies SettingName[];

/** Keeps the addresses but no other setting of a real service, such as its database or data dir. */
export function demoEnvironment(env: Environment, dataDir: string): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => !(name in settings) || addressSettings.includes(name),
  );
  return { ...Object.fromEntries(kept), TRIBUTARY_DATA_DIR: dataDir };
}
