import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { Config } from '../../config/config.ts';
import { bytes, print, printable } from '../output/print.ts';
import { createStatusLine } from '../output/status-line.ts';

interface DoctorOptions {
  readonly deep?: true;
  readonly service?: true;
  readonly restoreCheck?: true;
  readonly json?: boolean;
}

interface Finding {
  readonly level: 'ok' | 'warning' | 'failure';
  readonly check: string;
  readonly found: string;
  readonly advice: string | null;
}

/** As monitors expect it: 0, 1 and 2. */
const exitCodes = { ok: 0, warning: 1, failure: 2 } as const;

const help = `
The exit code is 0 if nothing is wrong, 1 with warnings, 2 with failures, as for Nagios and its successors.
Run it with the settings of the service, as its user, on its machine.`;

export function addDoctorCommand(
  doctor: Command,
  readConfig: () => Config,
  connect: () => Promise<TributaryClient>,
): void {
  doctor
    .option('--deep', 'read all device sets and objects, and verify their checksums')
    .option('--service', 'let a running service examine itself, over its API')
    .option(
      '--restore-check',
      'check that database, data dir, bucket and shards belong together, after a restore',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      if ([options.deep, options.service, options.restoreCheck].filter(Boolean).length > 1) {
        throw new Error('--deep, --service and --restore-check cannot be combined');
      }
      const findings = await examine(options, readConfig, connect);
      const level = worstOf(findings);
      print({ level, findings }, text(findings), options);
      process.exitCode = exitCodes[level];
    });
}

async function examine(
  { deep, service, restoreCheck }: DoctorOptions,
  readConfig: () => Config,
  connect: () => Promise<TributaryClient>,
): Promise<readonly Finding[]> {
  if (service) return (await answerOf((await connect()).GET('/admin/v1/doctor'))).findings;
  return restoreCheck ? checkRestore(readConfig()) : examineHere(readConfig(), deep === true);
}

/** Its texts also say what to do. */
async function checkRestore(config: Config): Promise<readonly Finding[]> {
  const { checkRestoredHere } = await import('../../process/restore-check.ts');
  const pieces = await checkRestoredHere(config, new AbortController().signal);
  return pieces.map(({ piece, isFine, text }) => ({
    level: isFine ? 'ok' : 'failure',
    check: piece,
    found: text,
    advice: null,
  }));
}

async function examineHere(config: Config, deep: boolean): Promise<readonly Finding[]> {
  const { runDoctor } = await import('../../process/run-doctor.ts');
  const line = createStatusLine(process.stderr);
  let verified = 0;
  const onBytes = (more: number) => {
    verified += more;
    line.show(`${bytes(verified)} verified`);
  };
  try {
    return await runDoctor(config, deep ? { deep, onBytes } : { deep });
  } finally {
    line.end();
  }
}

function worstOf(findings: readonly Finding[]): Finding['level'] {
  const levels = findings.map(({ level }) => level);
  if (levels.includes('failure')) return 'failure';
  return levels.includes('warning') ? 'warning' : 'ok';
}

/** One line for each finding, and one for what to do about it. */
function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ level, check, found, advice }) => {
    const label = (level === 'ok' ? level : level.toUpperCase()).padEnd('failure'.length);
    const line = `${label}  ${check.padEnd(width)}  ${printable(found)}`;
    return advice === null ? [line] : [line, `${' '.repeat(label.length + width + 4)}${advice}`];
  });
  const count = (level: Finding['level']) => findings.filter((each) => each.level === level).length;
  const [warnings, failures] = [count('warning'), count('failure')];
  const summary =
    warnings + failures === 0
      ? 'Nothing is wrong.'
      : `Failures: ${failures}. Warnings: ${warnings}.`;
  return [...lines, '', summary].join('\n');
}
