import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../../src/domain/job.ts';
import { isOpen, stateOf } from './status.ts';

describe('a status', () => {
  it('is what the service means by the number', () => {
    for (const [state, status] of Object.entries(statusOf)) expect(stateOf({ status })).toBe(state);
  });

  it('says whether something is still to come', () => {
    expect([0, 1, 2, 3].map((status) => isOpen({ status }))).toEqual([true, true, false, false]);
  });
});
