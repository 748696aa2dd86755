/** Waits for all. If one fails to start, the stack disposes the others. */
export async function allOf<T extends AsyncDisposable[]>(
  stack: AsyncDisposableStack,
  ...starting: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(starting);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') stack.use(outcome.value);
  return (await Promise.all(starting)) as T;
}
