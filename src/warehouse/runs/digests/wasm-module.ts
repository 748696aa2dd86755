/** The part of WebAssembly's interface that is used here. Node has it, but not its types. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    readonly exports: unknown;
    constructor(module: Module);
  }
}

/** What a module of `moduleOf` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  hash(count: number): void;
}

export const pageBytes = 65_536;

export function instantiate(bytes: Uint8Array<ArrayBuffer>): Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports;
}

/** A module with one function, `hash`, that takes a 32-bit integer, and with that much memory. */
export function moduleOf(code: readonly number[], pages: number): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: readonly number[]) => [
    id,
    ...leb(content.length),
    ...content,
  ];
  const named = (name: string) => [...leb(name.length), ...new TextEncoder().encode(name)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // One type: from a 32-bit integer to nothing. One function of it. One memory.
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x01, ...leb(pages), ...leb(pages)]),
    ...section(7, [2, ...named('memory'), 0x02, 0, ...named('hash'), 0x00, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

export function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

export function signedLeb(value: number | bigint): number[] {
  const all = BigInt(value);
  const low = Number(all & 0x7fn);
  return all >= -0x40n && all < 0x40n ? [low] : [low | 0x80, ...signedLeb(all >> 7n)];
}
