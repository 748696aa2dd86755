export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const quote = 0x22;
export const dash = 0x2d;
export const zero = 0x30;
export const one = 0x31;
export const three = 0x33;
export const letterA = 0x61;
export const letterZ = 0x7a;
export const bar = 0x7c;

/** The bit that makes an ASCII letter lower case. */
export const lowerCase = 0x20;
