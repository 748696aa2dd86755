import type { Logger } from 'pino';
import type { ServingConfig } from '../config/config.ts';
import type { Tracer } from '../trace/span.ts';

/** Null: nothing is traced, and the exporter is not even loaded. */
export async function openTracer(
  { traces }: ServingConfig,
  role: 'api' | 'worker',
  log: Logger,
): Promise<(Tracer & AsyncDisposable) | null> {
  if (!traces) return null;
  const exporter = await import('../trace/exporter.ts');
  const { serviceName, resource, ...options } = traces;
  const described = {
    ...resource,
    'service.name': serviceName,
    'tributary.role': role,
    'process.pid': process.pid,
  };
  return exporter.openTracer({ ...options, resource: described }, log);
}
