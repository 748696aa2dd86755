import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../../src/domain/job.ts';
import { isOpen, stateOf } from './status.ts';

describe('a status', () => {
  it('has the meaning that the service gives the number', () => {
    for (const [state, status] of Object.entries(statusOf)) expect(stateOf({ status })).toBe(state);
  });

  it('is open while it is waiting or running', () => {
    expect([0, 1, 2, 3].map((status) => isOpen({ status }))).toEqual([true, true, false, false]);
  });
});
