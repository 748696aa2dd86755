import type { Tracer } from '../../trace/span.ts';
import type { App } from './app-types.ts';
import { onResponseFinished } from './response-finished.ts';

/** Begins a span for every request, which continues the trace in the header `traceparent`. */
export function traceRequests(app: App, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request;
    const span = tracer.begin({
      name: method,
      kind: 'server',
      traceparent: typeof headers.traceparent === 'string' ? headers.traceparent : null,
      attributes: { 'http.request.method': method, 'tributary.request.id': request.id },
    });
    onResponseFinished(reply, (status) => {
      const route = request.routeOptions.url ?? 'none';
      span.end({
        name: `${method} ${route}`,
        attributes: { 'http.route': route, 'http.response.status_code': status },
        error: status >= 500 ? `status ${status}` : null,
      });
    });
    // Everything that follows runs in the span.
    span.run(done);
  });
}
