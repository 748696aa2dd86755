/** The probability that a standard normal variable is at least as far from 0 as z. */
export function twoSidedProbability(z: number): number {
  return complementaryError(Math.abs(z) / Math.SQRT2);
}

/**
 * The q-values of many tests, by Benjamini and Hochberg, as a function of the probability of a test: if
 * every test with a q of at most 5% is called a discovery, about 5% of these are expected to be false.
 */
export function falseDiscoveryRates(probabilities: readonly number[]): (one: number) => number {
  const tests = probabilities.length;
  const ordered = Float64Array.from(probabilities).sort();
  const rates = new Float64Array(tests);
  let lowest = 1;
  for (let rank = tests; rank > 0; rank--) {
    lowest = Math.min(lowest, (ordered[rank - 1]! * tests) / rank);
    rates[rank - 1] = lowest;
  }
  // The probability of a test that was not among them may be above all of theirs.
  return (one) => rates[firstAtLeast(ordered, one)] ?? 1;
}

/** Equal probabilities have the same rate, so the first of them will do. */
function firstAtLeast(ordered: Float64Array, wanted: number): number {
  let [at, end] = [0, ordered.length];
  while (at < end) {
    const middle = (at + end) >>> 1;
    if (ordered[middle]! < wanted) at = middle + 1;
    else end = middle;
  }
  return at;
}

/**
 * erfc(x) for x ≥ 0. The far tail is a continued fraction, because 1 − erf(x) would lose all its digits.
 */
function complementaryError(x: number): number {
  const density = Math.exp(-(x ** 2)) / Math.sqrt(Math.PI);
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; term > sum * Number.EPSILON; n++) {
      term *= (2 * x ** 2) / (2 * n + 1);
      sum += term;
    }
    return 1 - 2 * density * sum;
  }
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return density / fraction;
}
