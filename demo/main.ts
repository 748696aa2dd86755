import { type Config, readConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/settings.ts';
import { checkPorts } from '../src/supervisor/ports.ts';
import { emptyDataDir, readSummary, writeSummary } from './data-dir.ts';
import { startDemoService } from './service.ts';
import { demoEnvironment, type Options, readOptions, usage } from './settings.ts';
import { loadEverything } from './steps/load-everything.ts';
import { createNarration } from './steps/narration.ts';
import { type Summary, summaryText } from './summary.ts';

/** What a shell says of a program that Ctrl-C ended. */
const interrupted = 130;

/** From nothing to a service with something to see. Returns the exit code. */
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
  say(`\n${summaryText(summary, config)}\nAll of it took ${seconds} seconds.`);
  if (options.exit) return 0;
  say('Ctrl-C stops the service; npm run demo -- --keep brings it up again.');
  await Promise.race([stopped, service.lost]);
  return 0;
}

async function checkAddresses(config: Config): Promise<void> {
  await checkPorts(config).catch((cause) => {
    const advice = 'TRIBUTARY_PORT and TRIBUTARY_S3_PORT choose other ports';
    throw new ConfigError(`${cause.message}; ${advice}`, { cause });
  });
}

function say(text: string): void {
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
  // What is under way when it is stopped, such as an upload, would hold the process up.
  process.exit(options.help ? 0 : await demo(options, stopping.promise));
} catch (error) {
  // Ctrl-C reaches the service as well, and may end it before we know.
  if (isStopping) process.exit(interrupted);
  process.stderr.write(`demo: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
