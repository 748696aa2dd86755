import { useState } from 'react';
import { answerOf, type Problem } from './problem.ts';
import { useAction } from './use-action.ts';
import { useAnswer } from './use-answer.ts';

export interface Pages<T> {
  /** Undefined until the first page is loaded. */
  readonly listed: readonly T[] | undefined;
  readonly problem: Problem | undefined;
  readonly hasMore: boolean;
  readonly isWaiting: boolean;
  showMore(): void;
}

interface Page<T> {
  readonly rows: readonly T[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

type Call<T> = Promise<{ data?: T[]; error?: unknown; response: Response }>;

/** A list, page by page. The filter must not change while the hook is mounted. */
export function usePages<T>(load: (after: string | undefined) => Call<T>): Pages<T> {
  const first = useAnswer(() => pageOf(load(undefined)), []);
  const [later, setLater] = useState<readonly Page<T>[]>([]);
  const pages = first.data && [first.data, ...later];
  const next = pages?.at(-1)?.next;
  const more = useAction(async () => {
    const page = await pageOf(load(next));
    setLater((known) => [...known, page]);
  });
  return {
    listed: pages?.flatMap(({ rows }) => rows),
    problem: first.problem ?? more.problem,
    hasMore: next !== undefined,
    isWaiting: first.isWaiting || more.isRunning,
    showMore: () => void more.run(),
  };
}

async function pageOf<T>(call: Call<T>): Promise<Page<T>> {
  let link: string | null = null;
  const rows = await answerOf(
    call.then((answer) => {
      link = answer.response.headers.get('link');
      return answer;
    }),
  );
  return { rows, next: nextIn(link) };
}

/** The `after` of the next page in a `Link` header. */
export function nextIn(link: string | null): string | undefined {
  const [, path] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  if (path === undefined) return undefined;
  return new URL(path, 'http://localhost').searchParams.get('after') ?? undefined;
}
