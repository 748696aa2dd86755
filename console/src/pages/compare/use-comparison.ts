import type { ConsoleApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { type Composition, readAttributes } from '../composition/attribute.ts';
import { loadComposition } from '../composition/report.ts';
import { plainView } from '../composition/view.ts';
import { type ComparedAttribute, comparisonOf } from './comparison.ts';

/** Two reports side by side. */
export interface Comparison {
  readonly one: Composition;
  readonly other: Composition;
  readonly attributes: readonly ComparedAttribute[];
}

/** Undefined until both audiences are chosen. */
export function useComparison(one: number | undefined, other: number | undefined) {
  const api = useApi();
  return useAnswer(async () => {
    if (one === undefined || other === undefined || one === other) return undefined;
    return loadComparison(api, one, other);
  }, [api, one, other]);
}

async function loadComparison(api: ConsoleApi, one: number, other: number): Promise<Comparison> {
  const [first, second, against] = await Promise.all([
    loadComposition(api, one, plainView.baseline),
    loadComposition(api, other, plainView.baseline),
    loadComposition(api, one, `audience:${other}`),
  ]);
  return {
    one: first,
    other: second,
    attributes: comparisonOf(
      readAttributes(first),
      readAttributes(second),
      readAttributes(against),
    ),
  };
}

/** The audiences that the reader may choose from, the most recently active first. */
export function useAudiences() {
  const api = useApi();
  return useAnswer(() => answerOf(api.GET('/v1/console/audiences')), [api]);
}
