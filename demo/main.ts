import { type Config, readConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/settings.ts';
import { checkPorts } from '../src/supervisor/ports.ts';
import { emptyDataDir, readSummary, writeSummary } from './data-dir.ts';
import { startDemoService } from './service.ts';
import { command, demoEnvironment, type Options, readOptions, usage } from './settings.ts';
import { loadEverything } from './steps/load-everything.ts';
import { createNarration } from './steps/narration.ts';
import { type Summary, summaryText } from './summary.ts';

/** The exit code that a shell uses for Ctrl-C. */
const interrupted = 130;

/** Starts a service and loads the demo data. Returns the exit code. */
async function demo(options: Options, stopped: Promise<'stopped'>): Promise<number> {
  const begun = performance.now();
  const env = demoEnvironment(process.env, options.dataDir);
  const config = readConfig(env, process.cwd());
  await checkAddresses(config);
  const kept = options.keep ? await readSummary<Summary>(config.dataDir) : undefined;
  if (!kept) await emptyDataDir(config.dataDir);

  const narration = createNarration(process.stdout, process.stderr);
  await using service = await narration.step(
    () => startDemoService(config, env),
    () => `the service is up at ${config.publicUrl}`,
  );
  const load = kept ?? loadEverything(service, options.scale, narration);
  const summary = await Promise.race([load, service.lost, stopped]);
  if (summary === 'stopped') return interrupted;
  await writeSummary(config.dataDir, summary);

  const seconds = Math.round((performance.now() - begun) / 1_000);
  print(`\n${summaryText(summary, config)}\nReady after ${seconds} seconds.`);
  if (options.exit) return 0;
  print(`Press Ctrl-C to stop. To start again with this data: ${command} --keep`);
  await Promise.race([stopped, service.lost]);
  return 0;
}

async function checkAddresses(config: Config): Promise<void> {
  await checkPorts(config).catch((cause) => {
    const advice = 'Choose other ports with TRIBUTARY_PORT and TRIBUTARY_S3_PORT.';
    throw new ConfigError(`${cause.message}. ${advice}`, { cause });
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const stopping = Promise.withResolvers<'stopped'>();
let isStopping = false;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    isStopping = true;
    stopping.resolve('stopped');
  });
}
try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(usage);
  // Exit explicitly, because an unfinished upload would keep the process alive.
  process.exit(options.help ? 0 : await demo(options, stopping.promise));
} catch (error) {
  // Ctrl-C also reaches the service, which may stop first.
  if (isStopping) process.exit(interrupted);
  process.stderr.write(`tributary: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
