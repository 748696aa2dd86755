import { element } from './element.ts';

/** More than this is not shown, because a page with it would be slow. */
const mostBytes = 256 * 1024;

/** Headers that help a reader, in this order. */
const shownHeaders = [
  'x-request-id',
  'content-type',
  'location',
  'link',
  'retry-after',
  'ratelimit-remaining',
];

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isCut: boolean;
  readonly milliseconds: number;
}

export async function readAnswer(response: Response, startedAt: number): Promise<Answer> {
  const { text, isCut } = await readText(response);
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    statusText: response.statusText,
    headers: shownHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    body: isCut ? text : readable(text, type),
    isCut,
    milliseconds: Math.round(performance.now() - startedAt),
  };
}

async function readText(response: Response): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let [text, size] = ['', 0];
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, mostBytes - size), { stream: true });
    size += value.length;
    if (size <= mostBytes) continue;
    await reader.cancel();
    return { text, isCut: true };
  }
  return { text, isCut: false };
}

/** JSON with line breaks. Other text stays as it is. */
export function readable(text: string, type: string): string {
  if (!/[/+]json\b/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function showAnswer(answer: Answer): Node[] {
  const { status, statusText, headers, body, isCut, milliseconds } = answer;
  const mark = element(
    'span',
    { class: `status status-${Math.trunc(status / 100)}` },
    String(status),
  );
  const line = element('p', { class: 'answer-line' }, mark, ` ${statusText} · ${milliseconds} ms`);
  const list = element(
    'dl',
    {},
    ...headers.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
  const code = element(
    'div',
    { class: 'code' },
    element('pre', { tabindex: '0' }, element('code', {}, body)),
  );
  return [
    line,
    list,
    ...problemLink(body),
    ...(isCut ? [element('p', {}, 'Only the first 256 KiB of the body are shown.')] : []),
    ...(body === '' ? [element('p', {}, 'The response has no body.')] : [code]),
  ];
}

/** To the description of the problem on this page. */
function problemLink(body: string): Node[] {
  const [, anchor] = /"type": "\/docs#(problem-\w+)"/.exec(body) ?? [];
  if (anchor === undefined || document.getElementById(anchor) === null) return [];
  const code = anchor.replace('problem-', '');
  return [element('p', {}, element('a', { href: `#${anchor}` }, `What ${code} means`))];
}
