/** All of them; if one does not start, those that do are disposed of with the stack. */
export async function allOf<T extends AsyncDisposable[]>(
  stack: AsyncDisposableStack,
  ...starting: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(starting);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') stack.use(outcome.value);
  return (await Promise.all(starting)) as T;
}
