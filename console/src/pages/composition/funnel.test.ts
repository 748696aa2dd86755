import { describe, expect, it } from 'vitest';
import { funnelOf } from './funnel.ts';

describe('the funnel', () => {
  it('narrows from what was uploaded, and matches what is unique', () => {
    const { steps, matchRate } = funnelOf({
      uploaded_devices: 400,
      unique_devices: 200,
      matched_devices: 50,
    });
    expect(steps.map(({ share }) => share)).toEqual([1, 0.5, 0.125]);
    expect(matchRate).toBe(0.25);
  });

  it('of an empty audience has no rate', () => {
    const { steps, matchRate } = funnelOf({
      uploaded_devices: 0,
      unique_devices: 0,
      matched_devices: 0,
    });
    expect(steps.map(({ share }) => share)).toEqual([0, 0, 0]);
    expect(matchRate).toBeNull();
  });
});
