import { wordsPerDevice } from '../devices/device-words.ts';
import { assembleSha256, lanes } from './sha256-module.ts';
import { instantiate } from './wasm-module.ts';

/**
 * Writes the digest of each device to `digests`: the first 128 bits of the SHA-256 of its 32 hexadecimal
 * digits, in lower case and without hyphens. Both arrays hold four words for each device.
 */
export type HashDevices = (devices: Uint32Array, digests: Uint32Array) => void;

const groupsPerCall = 256;
const wordsPerGroup = lanes * wordsPerDevice;

/**
 * Took 0.1 µs for each device on an x64 core. The same in TypeScript took 0.55 µs, and `node:crypto` 3 µs.
 */
export function createDeviceHasher(): HashDevices {
  const { bytes, constants, inputAt, outputAt } = assembleSha256(groupsPerCall);
  const { memory, hash } = instantiate(bytes);
  new Uint32Array(memory.buffer).set(constants);
  const input = new Uint32Array(memory.buffer, inputAt, groupsPerCall * wordsPerGroup);
  const output = new Uint32Array(memory.buffer, outputAt, groupsPerCall * wordsPerGroup);

  return (devices, digests) => {
    for (let at = 0; at < devices.length; at += input.length) {
      const some = devices.subarray(at, at + input.length);
      input.set(some);
      hash(Math.ceil(some.length / wordsPerGroup));
      digests.set(output.subarray(0, some.length), at);
    }
  };
}
