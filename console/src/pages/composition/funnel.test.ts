import { describe, expect, it } from 'vitest';
import { funnelOf } from './funnel.ts';

describe('the funnel', () => {
  it('goes from uploaded to unique to matched, with the match rate of unique devices', () => {
    const { steps, matchRate } = funnelOf({
      uploaded_devices: 400,
      unique_devices: 200,
      matched_devices: 50,
    });
    expect(steps.map(({ share }) => share)).toEqual([1, 0.5, 0.125]);
    expect(matchRate).toBe(0.25);
  });

  it('has no match rate for an empty audience', () => {
    const { steps, matchRate } = funnelOf({
      uploaded_devices: 0,
      unique_devices: 0,
      matched_devices: 0,
    });
    expect(steps.map(({ share }) => share)).toEqual([0, 0, 0]);
    expect(matchRate).toBeNull();
  });
});
