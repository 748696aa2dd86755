import { describe, expect, it } from 'vitest';
import { clearingLoses, matchRate, ownersOf, stateWord, statusSentence } from './audience-words.ts';

describe('an audience', () => {
  it('has words for its status', () => {
    const words = [0, 1, 2, 3].map((status) => stateWord({ status }));
    expect(words).toEqual(['Waiting to load', 'Loading', 'Loaded', 'Errors']);
  });

  it('stands as its loads ended', () => {
    const file = [{}];
    expect(statusSentence({ status: 2, file })).toBe('All its files are loaded.');
    expect(statusSentence({ status: 2, file: [] })).toBe('It is empty.');
    expect(statusSentence({ status: 3, file })).toContain('problems below');
    expect(statusSentence({ status: 0, file }) + statusSentence({ status: 1, file })).toBe('');
  });

  it('is told to each by the name of the other', () => {
    const audience = { partner_name: 'sandbox', customer_name: 'Harbor' };
    expect(ownersOf(audience, 'customer')).toBe('Loaded by sandbox');
    expect(ownersOf(audience, 'partner')).toBe('For Harbor');
    expect(ownersOf({ ...audience, customer_name: null }, 'partner')).toBe('For no customer');
  });
});

describe('the match rate', () => {
  it('is the share of the unique devices', () => {
    expect(matchRate({ unique_devices: 8, matched_devices: 2 })).toBe(0.25);
  });

  it('is nothing of nothing', () => {
    expect(matchRate({ unique_devices: 0, matched_devices: 0 })).toBeNull();
  });
});

describe('what clearing loses', () => {
  const file = [{ status: 2 }, { status: 3 }];

  it('names devices, files and loads with their numbers', () => {
    const words = clearingLoses({ unique_devices: 1_234_567, file }, 2).join('\n');
    expect(words).toContain('1,234,567 devices are taken out');
    expect(words).toContain('2 entries of its list of files go.');
    expect(words).toContain('2 loads that wait or run are cancelled.');
  });

  it('speaks of one as of one', () => {
    const words = clearingLoses({ unique_devices: 1, file: file.slice(1) }, 1).join('\n');
    expect(words).toContain('1 device is taken out');
    expect(words).toContain('1 entry of its list of files goes.');
    expect(words).toContain('1 load that waits or runs is cancelled.');
  });

  it('does not speak of what there is not', () => {
    const words = clearingLoses({ unique_devices: 0, file: [] }, 0).join('\n');
    expect(words).toContain('It holds no devices.');
    expect(words).not.toMatch(/files|cancelled/);
  });
});
