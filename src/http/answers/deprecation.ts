import type { App } from '../server/app-types.ts';

/** Adds the headers of RFC 9745 and RFC 8594 to every response of a deprecated route. */
export function announceDeprecations(app: App): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { deprecation } = request.routeOptions.config;
    if (!deprecation) return payload;
    const { since, sunset, link } = deprecation;
    reply.header('deprecation', `@${Date.parse(since) / 1000}`);
    if (sunset !== undefined) reply.header('sunset', new Date(sunset).toUTCString());
    const others = reply.getHeader('link');
    const ours = `<${link}>; rel="deprecation"; type="text/html"`;
    reply.header('link', others === undefined ? ours : `${others}, ${ours}`);
    return payload;
  });
}
