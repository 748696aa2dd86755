import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkout, until } from './service.ts';

/** Moves a program's clock forward on a signal, so its access token seems expired. */
const clock = `data:text/javascript,
  const now = Date.now;
  process.on('SIGUSR2', () => {
    Date.now = () => now() + 15 * 60_000;
    console.log('A quarter of an hour has passed');
  });`;

export interface ExampleApp extends AsyncDisposable {
  letTokensExpire(): Promise<void>;
}

/** Starts examples/oauth-app as `npm run example:oauth` does and waits until it listens. */
export async function startExampleApp(env: Record<string, string>): Promise<ExampleApp> {
  await using starting = new AsyncDisposableStack();
  const child = spawn(process.execPath, ['--import', clock, 'examples/oauth-app/main.ts'], {
    cwd: checkout,
    env,
  });
  const exited = once(child, 'close');
  starting.defer(async () => {
    child.kill();
    await exited;
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  await until('the example to listen', async () => {
    if (child.exitCode !== null) throw new Error(`the example app exited: ${printed}`);
    return printed.includes('Open http://');
  });
  const running = starting.move();
  return {
    async letTokensExpire() {
      child.kill('SIGUSR2');
      await until('its clock to be set', async () => printed.includes('has passed'));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
