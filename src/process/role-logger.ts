import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createProcessLogger } from '../config/logger.ts';
import { currentSpanIds } from '../trace/span.ts';

/** The logger of a role. If requests and jobs are traced, their lines name the span. */
export function createRoleLogger(config: Config, role: string, adminToken: string): Logger {
  return createProcessLogger(config, role, adminToken, config.traces ? currentSpanIds : undefined);
}
