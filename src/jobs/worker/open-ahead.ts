/**
 * Opens files ahead of their turn: the one in use and those after it, up to `count` at once. They come in
 * their order. Closes every file that it opened.
 */
export async function* openAhead<V, F extends AsyncDisposable>(
  files: Iterable<V> | AsyncIterable<V>,
  count: number,
  open: (file: V) => F,
): AsyncGenerator<readonly [V, F]> {
  const opened: (readonly [V, F])[] = [];

  async function* takeAllBut(left: number): AsyncGenerator<readonly [V, F]> {
    while (opened.length > left) {
      yield opened[0]!;
      const [, used] = opened.shift()!;
      await used[Symbol.asyncDispose]();
    }
  }

  try {
    for await (const file of files) {
      opened.push([file, open(file)]);
      yield* takeAllBut(count - 1);
    }
    yield* takeAllBut(0);
  } finally {
    await Promise.all(opened.map(([, file]) => file[Symbol.asyncDispose]()));
  }
}
