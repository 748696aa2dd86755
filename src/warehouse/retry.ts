/** Repeats work while it fails with a retryable error, for at most `attempts` attempts. */
export async function retry<T>(
  attempts: number,
  isRetryable: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || attempt === attempts) throw error;
    }
  }
}
