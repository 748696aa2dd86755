/**
 * Milliseconds of a clock that is never set. Whole, because with fractions the difference of two times is
 * sometimes a tiny bit too large, and a wait of 60 seconds would be rounded up to 61.
 */
export const monotonicMs = () => Math.floor(performance.now());
