import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { codeOf, messageOf } from '../domain/errors.ts';

/** Checked first, because a port in use would otherwise be the last error of the start. */
export async function checkPorts(config: Config): Promise<void> {
  await checkPort('TRIBUTARY_PORT', config.host, config.port);
  if (config.objects.kind === 'disk') {
    await checkPort('TRIBUTARY_S3_PORT', config.host, config.objects.port);
  }
  if (config.metricsPort !== null) {
    await checkPort('TRIBUTARY_METRICS_PORT', config.host, config.metricsPort);
  }
}

async function checkPort(name: string, host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(port, host, resolve);
    });
  } catch (error) {
    throw new ConfigError(`${name} ${port} is unavailable: ${reasonOf(error, host)}`, {
      cause: error,
    });
  }
  await new Promise((resolve) => probe.close(resolve));
}

function reasonOf(error: unknown, host: string): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `another process listens on it at ${host}`;
    case 'EACCES':
      return 'permission denied';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `TRIBUTARY_HOST ${host} is not an address of this machine`;
    default:
      return messageOf(error);
  }
}
