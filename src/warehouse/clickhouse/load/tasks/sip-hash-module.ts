import { leb, moduleOf, pageBytes, signedLeb } from '../../../runs/digests/wasm-module.ts';

/**
 * A WebAssembly module that computes the shard of each device: its SipHash-2-4 with a key of zeros, which
 * is ClickHouse's `sipHash64`, modulo the number of shards. All messages have the 16 bytes of a device.
 */
export interface SipHashModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the number of shards is, in 64 bits. */
  readonly shardsAt: number;
  /** Where the bytes of the devices are read. */
  readonly inputAt: number;
  /** Where the shard of each device is written, in 32 bits. */
  readonly outputAt: number;
}

const deviceBytes = 16;
const shardsAt = 0;
const inputAt = 64;

/** `devices`: how many devices a call may hash. */
export function assembleSipHash(devices: number): SipHashModule {
  const outputAt = inputAt + devices * deviceBytes;
  const pages = Math.ceil((outputAt + devices * Uint32Array.BYTES_PER_ELEMENT) / pageBytes);
  return { bytes: moduleOf(assembleFunction(outputAt), pages), shardsAt, inputAt, outputAt };
}

/** The state before the first word of the message, for a key of zeros. */
const initialState = [
  0x736f_6d65_7073_6575n,
  0x646f_7261_6e64_6f6dn,
  0x6c79_6765_6e65_7261n,
  0x7465_6462_7974_6573n,
];
/** The last word of the message is the length of the message in its highest byte. */
const lastWord = BigInt.asIntN(64, BigInt(deviceBytes) << 56n);

/** `hash(devices)`: hashes that many devices, at least one. */
function assembleFunction(outputAt: number): number[] {
  // Parameter 0 is the number of devices, and 1 the number of the current one.
  const current = 1;
  const [v0, v1, v2, v3, word] = [2, 3, 4, 5, 6];
  const code: number[] = [];

  const emit = (...bytes: number[]) => code.push(...bytes);
  const get = (local: number) => emit(0x20, ...leb(local));
  const set = (local: number) => emit(0x21, ...leb(local));
  const tee = (local: number) => emit(0x22, ...leb(local));
  const number = (value: number) => emit(0x41, ...signedLeb(value));
  const long = (value: bigint) => emit(0x42, ...signedLeb(value));
  const load = (at: number) => emit(0x29, 3, ...leb(at));
  const add = () => emit(0x7c);
  const xor = () => emit(0x85);
  const rotateLeft = (bits: bigint) => {
    long(bits);
    emit(0x89);
  };

  /** Adds `other` to `to`, and mixes `other` with the sum. */
  function mix(to: number, other: number, bits: bigint): void {
    get(to);
    get(other);
    add();
    set(to);
    get(other);
    rotateLeft(bits);
    get(to);
    xor();
    set(other);
  }

  function swapHalves(local: number): void {
    get(local);
    rotateLeft(32n);
    set(local);
  }

  function rounds(count: number): void {
    for (let i = 0; i < count; i++) {
      mix(v0, v1, 13n);
      swapHalves(v0);
      mix(v2, v3, 16n);
      mix(v0, v3, 21n);
      mix(v2, v1, 17n);
      swapHalves(v2);
    }
  }

  function absorb(): void {
    tee(word);
    get(v3);
    xor();
    set(v3);
    rounds(2);
    get(v0);
    get(word);
    xor();
    set(v0);
  }

  function pushOffset(shift: number): void {
    get(current);
    number(shift);
    // i32.shl
    emit(0x74);
  }

  // loop
  emit(0x03, 0x40);
  for (const [i, local] of [v0, v1, v2, v3].entries()) {
    long(BigInt.asIntN(64, initialState[i]!));
    set(local);
  }
  for (const at of [inputAt, inputAt + 8]) {
    pushOffset(4);
    load(at);
    absorb();
  }
  long(lastWord);
  absorb();
  get(v2);
  long(0xffn);
  xor();
  set(v2);
  rounds(4);
  pushOffset(2);
  get(v0);
  get(v1);
  xor();
  get(v2);
  xor();
  get(v3);
  xor();
  number(0);
  load(shardsAt);
  // i64.rem_u, i32.wrap_i64, i32.store
  emit(0x82, 0xa7, 0x36, 2, ...leb(outputAt));
  get(current);
  number(1);
  // i32.add
  emit(0x6a);
  tee(current);
  get(0);
  // i32.lt_u, br_if 0, end of the loop, end of the function
  emit(0x49, 0x0d, 0x00, 0x0b, 0x0b);

  const locals = [...leb(2), ...leb(1), 0x7f, ...leb(5), 0x7e];
  return [...locals, ...code];
}
