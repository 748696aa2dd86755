import { leb, moduleOf, pageBytes, signedLeb } from './wasm-module.ts';

/**
 * A WebAssembly module that hashes devices with SHA-256, four at a time in the lanes of a vector. It is
 * assembled here, because the rounds are best unrolled and all messages have the same form: 32
 * hexadecimal digits, which fill half of one block. The words after them are known, so the module leaves
 * out everything that is computed from them alone.
 */
export interface Sha256Module {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Goes to the start of the memory before the first call. */
  readonly constants: Uint32Array;
  /** Where devices are read. */
  readonly inputAt: number;
  /** Where the first four words of the digest of each device are written. */
  readonly outputAt: number;
}

export const lanes = 4;
const bytesPerVector = 16;
const wordsPerVector = 4;

/** A vector whose lanes are equal and known, or one in a local variable. */
type Word = { readonly known: number } | { readonly local: number };

/** `groups`: how many groups of four devices a call may hash. */
export function assembleSha256(groups: number): Sha256Module {
  const { code, constants, inputAt, outputAt } = assembleFunction(groups);
  const groupBytes = wordsPerVector * bytesPerVector;
  const pages = Math.ceil((outputAt + groups * groupBytes) / pageBytes);
  return { bytes: moduleOf(code, pages), constants, inputAt, outputAt };
}

/** `hash(groups)`: hashes that many groups. */
function assembleFunction(groups: number) {
  // Parameter 0 is the number of groups, and 1 the offset of the current group.
  const offset = 1;
  const firstVector = 2;
  const code: number[] = [];
  const constants: number[] = [];
  const placeOf = new Map<number, number>();
  // The constants come first, and there is space for more than are needed.
  const inputAt = 4_096;
  const outputAt = inputAt + groups * wordsPerVector * bytesPerVector;
  let vectors = 0;

  const emit = (...bytes: number[]) => code.push(...bytes);
  const simd = (op: number, ...rest: number[]) => emit(0xfd, ...leb(op), ...rest);
  const newVector = () => firstVector + vectors++;
  const get = (local: number) => emit(0x20, ...leb(local));
  const set = (local: number) => emit(0x21, ...leb(local));
  const tee = (local: number) => emit(0x22, ...leb(local));
  const number = (value: number) => emit(0x41, ...signedLeb(value));
  const load = (at: number) => simd(0x00, 4, ...leb(at));
  const store = (at: number) => simd(0x0b, 4, ...leb(at));
  const and = () => simd(0x4e);
  const or = () => simd(0x50);
  const xor = () => simd(0x51);
  /** Takes bits of the first vector where the third has ones, of the second elsewhere. */
  const select = () => simd(0x52);
  const add = () => simd(0xae);

  /** Kept in memory, because V8 takes several instructions for a vector that is a constant. */
  function constant(value: number): void {
    const known = placeOf.get(value >>> 0) ?? constants.length * Uint32Array.BYTES_PER_ELEMENT;
    if (!placeOf.has(value >>> 0)) {
      placeOf.set(value >>> 0, known);
      for (let lane = 0; lane < lanes; lane++) constants.push(value >>> 0);
    }
    number(0);
    load(known);
  }

  function push(word: Word): void {
    if ('known' in word) constant(word.known);
    else get(word.local);
  }

  function shiftLeft(local: number, bits: number): void {
    get(local);
    number(bits);
    simd(0xab);
  }

  function shiftRight(local: number, bits: number): void {
    get(local);
    number(bits);
    simd(0xad);
  }

  function rotate(local: number, bits: number): void {
    shiftRight(local, bits);
    shiftLeft(local, 32 - bits);
    or();
  }

  function rotations(local: number, [first, second, third]: Rotations): void {
    rotate(local, first);
    rotate(local, second);
    xor();
    rotate(local, third);
    xor();
  }

  /** Takes words of two vectors: 0 to 3 are those of the first one, 4 to 7 those of the second one. */
  function shuffle(one: number, other: number, picked: readonly number[], into: number): void {
    get(one);
    get(other);
    simd(0x0d, ...picked.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)));
    set(into);
  }

  /** Turns vectors of the words of one device each into vectors of one word of each device, or back. */
  function transpose([a, b, c, d]: readonly number[], [p, q, r, s]: readonly number[]): void {
    shuffle(a!, b!, [0, 4, 1, 5], p!);
    shuffle(c!, d!, [0, 4, 1, 5], q!);
    shuffle(a!, b!, [2, 6, 3, 7], r!);
    shuffle(c!, d!, [2, 6, 3, 7], s!);
    shuffle(p!, q!, [0, 1, 4, 5], a!);
    shuffle(p!, q!, [2, 3, 6, 7], b!);
    shuffle(r!, s!, [0, 1, 4, 5], c!);
    shuffle(r!, s!, [2, 3, 6, 7], d!);
  }

  /** The two words of the message that spell a word of the device. */
  function spell(device: number, digits: number, high: number, low: number): void {
    for (const [into, isHigh] of [
      [high, true],
      [low, false],
    ] as const) {
      // Spreads 16 bits over four bytes: 0xabcd becomes 0x00ab00cd, and then 0x0a0b0c0d.
      if (isHigh) shiftRight(device, 16);
      else {
        get(device);
        constant(0xffff);
        and();
      }
      set(into);
      get(into);
      shiftLeft(into, 8);
      or();
      constant(0x00ff_00ff);
      and();
      set(into);
      get(digits);
      get(into);
      shiftLeft(into, 4);
      or();
      constant(0x0f0f_0f0f);
      and();
      // Each byte selects a byte of `digits`.
      simd(0x0e);
      set(into);
    }
  }

  /** Adds a word to the schedule in place of the one sixteen before it. */
  function extend(schedule: readonly Word[], t: number, into: number): Word {
    const terms: Word[] = [schedule[(t - 16) % 16]!, schedule[(t - 7) % 16]!];
    let known = 0;
    let pushed = 0;
    const push1 = (act: () => void) => {
      act();
      if (pushed++ > 0) add();
    };
    for (const term of terms) {
      if ('known' in term) known += term.known;
      else push1(() => get(term.local));
    }
    for (const [word, sigma] of [
      [schedule[(t - 15) % 16]!, sigma0],
      [schedule[(t - 2) % 16]!, sigma1],
    ] as const) {
      if ('known' in word) known += sigmaOf(word.known, sigma);
      else
        push1(() => {
          rotate(word.local, sigma.rotations[0]);
          rotate(word.local, sigma.rotations[1]);
          xor();
          shiftRight(word.local, sigma.shift);
          xor();
        });
    }
    if (known >>> 0 !== 0) push1(() => constant(known));
    if (pushed === 0) return { known: 0 };
    set(into);
    return { local: into };
  }

  const digits = newVector();
  const words = Array.from({ length: 16 }, newVector);
  const state = Array.from({ length: 8 }, newVector);
  const temporary = newVector();
  // Where the first and the second word of the state differ, and where they did in the round before.
  let [differing, differed] = [newVector(), newVector()];

  const digitsAt = constants.length * Uint32Array.BYTES_PER_ELEMENT;
  constants.push(...new Uint32Array(new TextEncoder().encode('0123456789abcdef').buffer));
  number(0);
  load(digitsAt);
  set(digits);
  // loop
  emit(0x03, 0x40);
  for (let lane = 0; lane < lanes; lane++) {
    get(offset);
    load(inputAt + lane * bytesPerVector);
    set(state[lane]!);
  }
  // The state is not in use yet.
  transpose(state.slice(0, lanes), state.slice(lanes));
  for (let word = 0; word < wordsPerVector; word++) {
    spell(state[word]!, digits, words[2 * word]!, words[2 * word + 1]!);
  }
  const schedule: Word[] = words.map((local, t) =>
    t < 8 ? { local } : { known: t === 8 ? 0x8000_0000 : t === 15 ? messageBits : 0 },
  );
  let [a, b, c, d, e, f, g, h] = state as [number, ...number[]] as number[] as Eight;
  for (const [i, local] of state.entries()) {
    constant(initialState[i]!);
    set(local);
  }
  constant(initialState[1]! ^ initialState[2]!);
  set(differed);
  for (let t = 0; t < 64; t++) {
    if (t >= 16) schedule[t % 16] = extend(schedule, t, words[t % 16]!);
    const word = schedule[t % 16]!;
    get(h);
    rotations(e, [6, 11, 25]);
    add();
    get(f);
    get(g);
    get(e);
    select();
    add();
    if ('known' in word) constant(roundConstants[t]! + word.known);
    else {
      constant(roundConstants[t]!);
      add();
      push(word);
    }
    add();
    tee(temporary);
    get(d);
    add();
    set(d);
    get(temporary);
    rotations(a, [2, 13, 22]);
    add();
    // The majority of a, b and c: b, unless both others differ from it.
    get(a);
    get(b);
    xor();
    tee(differing);
    get(differed);
    and();
    get(b);
    xor();
    add();
    set(h);
    [differing, differed] = [differed, differing];
    [a, b, c, d, e, f, g, h] = [h, a, b, c, d, e, f, g];
  }
  for (const [word, local] of [a, b, c, d].entries()) {
    get(local);
    constant(initialState[word]!);
    add();
    set(local);
  }
  transpose([a, b, c, d], [e, f, g, h]);
  for (const [lane, local] of [a, b, c, d].entries()) {
    get(offset);
    get(local);
    store(outputAt + lane * bytesPerVector);
  }
  get(offset);
  number(wordsPerVector * bytesPerVector);
  // i32.add
  emit(0x6a);
  tee(offset);
  get(0);
  number(6);
  // i32.shl, i32.lt_u, br_if 0, end of the loop, end of the function
  emit(0x74, 0x49, 0x0d, 0x00, 0x0b, 0x0b);

  if (constants.length * Uint32Array.BYTES_PER_ELEMENT > inputAt)
    throw new RangeError('too many constants');
  const locals = [...leb(2), ...leb(1), 0x7f, ...leb(vectors), 0x7b];
  return { code: [...locals, ...code], constants: Uint32Array.from(constants), inputAt, outputAt };
}

type Eight = [number, number, number, number, number, number, number, number];
type Rotations = readonly [number, number, number];

interface Sigma {
  readonly rotations: readonly [number, number];
  readonly shift: number;
}

const sigma0: Sigma = { rotations: [7, 18], shift: 3 };
const sigma1: Sigma = { rotations: [17, 19], shift: 10 };
const messageBits = 256;

function sigmaOf(word: number, { rotations: [first, second], shift }: Sigma): number {
  const rotate = (bits: number) => (word >>> bits) | (word << (32 - bits));
  return rotate(first) ^ rotate(second) ^ (word >>> shift);
}

const firstPrimes = [...primes(64)];
/** Square and cube roots of the first primes: the first 32 bits after the point. */
const initialState = firstPrimes.slice(0, 8).map((prime) => fraction(prime, 2n));
const roundConstants = firstPrimes.map((prime) => fraction(prime, 3n));

function* primes(count: number): Iterable<number> {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    if (found.some((prime) => n % prime === 0)) continue;
    found.push(n);
    yield n;
  }
}

function fraction(prime: number, degree: bigint): number {
  const power = BigInt(prime) << (32n * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** degree <= power) low = middle;
    else high = middle;
  }
  return Number(low & 0xffff_ffffn);
}
