import { expect } from 'vitest';

/** The events and keep-alive comments of a stream, as they arrive. */
export async function* eventsOf(
  url: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    ...(signal ? { signal } : {}),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
  expect(text).toBe('');
}

/** The data of an event with this name. */
export function dataOf(event: string, name: string) {
  const start = `event: ${name}\ndata: `;
  expect(event.slice(0, start.length)).toBe(start);
  return JSON.parse(event.slice(start.length));
}
