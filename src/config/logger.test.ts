import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Logger } from 'pino';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { createLogger, warnOfSettings } from './logger.ts';

const apiKey = `trib_key_0123456789abcdef_${'Ab-_'.repeat(10)}xyz`;
// Every character that a token may have and that JSON or a URL has to escape.
const chosen = 'to"ken\\with/%&=+?#<>\'`{}|~^$.*[]()!@:;,';

function logged(secrets: readonly string[], log: (logger: Logger) => void) {
  const lines: string[] = [];
  log(createLogger({ level: 'debug', role: 'test', secrets, write: (line) => lines.push(line) }));
  return lines;
}

describe('a log line', () => {
  test('is JSON with a named level, the time and the role', () => {
    const [line] = logged([], (log) => log.info({ job: 7 }, 'done'));
    expect(line!.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line!)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      role: 'test',
      job: 7,
      msg: 'done',
    });
  });

  test('below the log level is not written', () => {
    const lines: string[] = [];
    const log = createLogger({
      level: 'warn',
      role: 'x',
      secrets: [],
      write: (l) => lines.push(l),
    });
    log.info('quiet');
    log.warn('loud');
    expect(lines).toHaveLength(1);
  });

  test('has the type, message, code, stack and cause of an error, and no other members', () => {
    const cause = Object.assign(new Error('duplicate'), { code: '23505', detail: 'Key (x)=(row)' });
    const error = Object.assign(new TypeError('no', { cause }), { where: 'confidential' });
    const [line] = logged([], (log) => log.error({ err: error }));
    const { err } = JSON.parse(line!);
    expect(err).toMatchObject({ type: 'TypeError', message: 'no' });
    expect(err.stack).toContain('logger.test.ts');
    expect(err.cause).toMatchObject({ message: 'duplicate', code: '23505' });
    expect(line).not.toMatch(/confidential|\(row\)/);
  });

  test('can describe any thrown value, even an error that is its own cause', () => {
    const circular = new Error('circular');
    circular.cause = circular;
    const odd = [circular, 'text', null, undefined, 7, { plain: true }, new AggregateError([], '')];
    const lines = logged([], (log) => {
      for (const err of odd) log.error({ err }, 'odd');
    });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(odd.map(() => 'odd'));
  });
});

describe('a pretty line', () => {
  function pretty(secrets: readonly string[], log: (logger: Logger) => void): string {
    let written = '';
    const write = (line: string) => {
      written += line;
    };
    log(createLogger({ level: 'debug', format: 'pretty', role: 'api', secrets, write }));
    return stripVTControlCharacters(written).replaceAll(/^[\d:.]{12}Z/gm, '<time>');
  }

  test('has the time, the level, the role, the message and the fields', () => {
    const line = pretty([], (log) =>
      log.warn({ job: 7, file: 'a b', partner: 'x', rows: null }, 'job\nfailed'),
    );
    expect(line).toBe(
      '<time> WARN  api        job\\nfailed job=7 file="a b" partner=x rows=null\n',
    );
  });

  test('is followed by the stack of the error and of its cause', () => {
    const error = new Error('no', { cause: new TypeError('why') });
    const [first, ...rest] = pretty([], (log) => log.error({ err: error }, 'failed')).split('\n');
    expect(first).toBe('<time> ERROR api        failed');
    expect(rest[0]).toBe('  Error: no');
    expect(rest[1]).toMatch(/^ {6}at .*logger\.test\.ts/);
    expect(rest).toContain('  caused by: TypeError: why');
  });

  test('is written at every level', () => {
    const lines = pretty([], (log) => {
      for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('x');
    });
    expect(lines.match(/\w+(?= +api)/g)).toEqual(['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']);
  });

  test.each([{ time: 5 }, { level: 'odd' }, { level: null }, { role: [] }, { msg: 5 }])(
    'is JSON if a field replaces a member: %j',
    (fields) => {
      expect(JSON.parse(pretty([], (log) => log.info(fields)))).toMatchObject(fields);
    },
  );

  test('can describe any thrown value', () => {
    const strange = Object.assign(new Error(), { stack: 5 });
    const odd = [strange, 'text', null, 7, { plain: true }, new AggregateError([], 'many')];
    const lines = pretty([], (log) => {
      for (const err of odd) log.error({ err }, 'odd');
    });
    expect(lines.match(/odd\n {2}\S.*/g)).toEqual(
      ['5', 'text', 'null', '7', '[object Object]', 'AggregateError: many'].map(
        (text) => `odd\n  ${text}`,
      ),
    );
  });

  test('has no secrets and no control characters', () => {
    const line = pretty([chosen], (log) => log.info({ a: apiKey, b: chosen }, 'x\x1b[2J\x9b'));
    expect(line).toBe('<time> INFO  api        x\\x1b[2J\\x9b a=[redacted] b=[redacted]\n');
  });
});

describe('a secret is redacted', () => {
  const secrets = [chosen];
  const places = {
    message: (log: Logger, secret: string) => log.info(`it is ${secret}`),
    member: (log: Logger, secret: string) => log.info({ it: secret }),
    'deep member': (log: Logger, secret: string) => log.info({ a: [{ b: { c: `<${secret}>` } }] }),
    'name of a member': (log: Logger, secret: string) => log.info({ [secret]: 1 }),
    'binding of a child': (log: Logger, secret: string) => log.child({ it: secret }).info('x'),
    error: (log: Logger, secret: string) =>
      log.error({ err: new Error(`bad ${secret}`, { cause: new Error(secret) }) }),
    'JSON in a message': (log: Logger, secret: string) =>
      log.info(`sent ${JSON.stringify({ it: secret })}`),
    'JSON in JSON': (log: Logger, secret: string) =>
      log.info(JSON.stringify({ body: JSON.stringify({ it: secret }) })),
    address: (log: Logger, secret: string) => log.info(`/path?x=${encodeURIComponent(secret)}`),
    'fully encoded address': (log: Logger, secret: string) =>
      log.info(`/path?x=${Buffer.from(secret).toString('hex').replace(/../g, '%$&')}`),
  };

  test.each(Object.entries(places))('with our own format, in any place: %s', (_, write) => {
    const [line] = logged([], (log) => write(log, apiKey));
    expect(line).toContain('[redacted]');
    expect(line).not.toContain(apiKey.slice(30));
    expect(line).not.toContain(Buffer.from('xyz').toString('hex').replace(/../g, '%$&'));
    JSON.parse(line!);
  });

  test.each(Object.entries(places))('with any format, if it is known: %s', (_, write) => {
    const [line] = logged(secrets, (log) => write(log, chosen));
    expect(line).toContain('[redacted]');
    const read = JSON.stringify(JSON.parse(line!)).replaceAll('\\', '');
    expect(read).not.toContain('with/%');
    expect(read).not.toContain('with%2F');
  });

  test('as a whole, even if part of it has our own format', () => {
    const [line] = logged([`${apiKey}!and-more`], (log) => log.info(`${apiKey}!and-more`));
    expect(JSON.parse(line!).msg).toBe('[redacted]');
  });

  test.each([
    'password',
    'Password',
    'secretAccessKey',
    'secret_access_key',
    'sessionToken',
    'api_key',
    'apiKey',
    'x-api-key',
    'user_token',
    'x-user-token',
    'client_secret',
    'access_token',
    'refreshToken',
    'code_verifier',
    'authorization',
    'cookie',
  ])('if its name is %s, with any format', (name) => {
    const value = 'short "and" \\ odd';
    const lines = logged([], (log) => {
      log.info({ [name]: value });
      log.info({ nested: { [name]: { anything: value } } });
      log.info(JSON.stringify({ [name]: value, after: 'seen' }));
      log.info(JSON.stringify({ body: JSON.stringify({ [name]: value, after: 'seen' }) }));
      log.info(`?${name}=short&after=seen`);
    });
    for (const line of lines) expect(line).not.toMatch(/short|odd/);
    for (const line of lines.slice(2)) expect(line).toContain('seen');
  });

  test('but its name alone and its id are not', () => {
    const [line] = logged([], (log) => log.info({ api_key_id: 7 }, 'no password given'));
    expect(JSON.parse(line!)).toMatchObject({ api_key_id: 7, msg: 'no password given' });
  });
});

describe('the reader of standard error cannot stop the service', () => {
  const program = `
    import { createLogger } from ${JSON.stringify(fileURLToPath(new URL('./logger.ts', import.meta.url)))};
    const log = createLogger({ level: 'info', role: 'x', secrets: [] });
    for (let n = 0; n < 2000; n++) log.info({ n, padding: 'x'.repeat(200) }, 'line');
    process.stdout.write('survived');
    setTimeout(() => {}, 300);
  `;
  const start = () => spawn(process.execPath, ['--input-type=module-typescript', '-e', program]);

  test('by reading late: every line arrives complete', async () => {
    const child = start();
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('survived');
    await sleep(50);
    let text = '';
    for await (const chunk of child.stderr) text += chunk;
    const numbers = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).n);
    expect(numbers).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  });

  test('by closing it', async () => {
    const child = start();
    child.stderr.destroy();
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'exit');
    expect([code, said]).toEqual([0, 'survived']);
  });
});

test.each([
  ['0.0.0.0', {}, true],
  ['::', {}, true],
  ['192.168.1.5', {}, true],
  ['127.0.0.1', {}, false],
  ['127.0.0.2', {}, false],
  ['::1', {}, false],
  ['localhost', {}, false],
  ['0.0.0.0', { TRIBUTARY_TRUST_PROXY: '10.0.0.1' }, false],
  ['0.0.0.0', { TRIBUTARY_TLS_CERT: 'a', TRIBUTARY_TLS_KEY: 'b' }, false],
])('a service that listens on %s with %o warns of missing TLS: %s', (host, more, warns) => {
  const config = readConfig({ TRIBUTARY_HOST: host, ...more }, '/');
  const lines = logged([], (log) => warnOfSettings(config, log));
  expect(lines.some((line) => line.includes('without TLS'))).toBe(warns);
});
