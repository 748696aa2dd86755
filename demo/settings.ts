import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../src/config/settings.ts';

export const usage = `npm run demo -- [--keep] [--exit] [--scale 0.1] [--data-dir <folder>]
  Starts a service with two partners, three million devices and three audiences, and stays up.
  --keep      brings up what the last demo loaded, if it loaded everything
  --exit      ends when everything is loaded
  --scale     with that share of the devices
  --data-dir  where everything is kept (default: demo-data); emptied at the start
Where it listens is settled by TRIBUTARY_HOST, TRIBUTARY_PORT and TRIBUTARY_S3_PORT, as for npm start.
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
      'data-dir': { type: 'string', default: resolve(import.meta.dirname, '../demo-data') },
    },
  });
  const { keep, exit, help } = values;
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1)) throw new Error('--scale must be above 0 and at most 1');
  return { keep, exit, help, scale, dataDir: resolve(values['data-dir']) };
}

const addressSettings = [
  'TRIBUTARY_HOST',
  'TRIBUTARY_PORT',
  'TRIBUTARY_PUBLIC_URL',
  'TRIBUTARY_S3_PORT',
  'TRIBUTARY_S3_PUBLIC_URL',
];

/** Addresses are taken over, and nothing else of a service that runs here: not its database, nor its data dir. */
export function demoEnvironment(env: Environment, dataDir: string): Environment {
  const isOurs = (name: string) => name.startsWith('TRIBUTARY_') || name === 'DATABASE_URL';
  const taken = Object.entries(env).filter(
    ([name]) => !isOurs(name) || addressSettings.includes(name),
  );
  return { ...Object.fromEntries(taken), TRIBUTARY_DATA_DIR: dataDir };
}
