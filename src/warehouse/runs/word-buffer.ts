/** A Uint32Array that grows by doubling, so that collecting millions of rows makes no objects. */
export class WordBuffer {
  #words = new Uint32Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get last(): number | undefined {
    return this.#words[this.#length - 1];
  }

  push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = word;
  }

  /** What was pushed so far; shares memory with the buffer. */
  view(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }
}
