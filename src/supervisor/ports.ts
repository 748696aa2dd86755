import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { codeOf, messageOf } from '../domain/errors.ts';
import { type Role, roles } from './role-process.ts';

/** The ports on which each role listens, by setting. */
function portsOf(role: Role, config: Config): Record<string, number | null> {
  switch (role) {
    case 'api':
      return {
        TRIBUTARY_PORT: config.port,
        TRIBUTARY_S3_PORT: config.objects.kind === 'disk' ? config.objects.port : null,
        TRIBUTARY_METRICS_PORT: config.metricsPort,
      };
    case 'worker':
      return { TRIBUTARY_WORKER_METRICS_PORT: config.workerMetricsPort };
    case 'isolated-worker':
      return {};
  }
}

/** Checked first, because a port in use would otherwise be the last error of the start. */
export async function checkPorts(config: Config, ofRoles: readonly Role[] = roles): Promise<void> {
  for (const role of ofRoles) {
    for (const [name, port] of Object.entries(portsOf(role, config))) {
      if (port !== null) await checkPort(name, config.host, port);
    }
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
