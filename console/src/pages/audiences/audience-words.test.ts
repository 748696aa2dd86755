import { describe, expect, it } from 'vitest';
import { clearingLoses, matchRate, ownersOf, stateWord, statusSentence } from './audience-words.ts';

describe('an audience', () => {
  it('has a word for each status', () => {
    const words = [0, 1, 2, 3].map((status) => stateWord({ status }));
    expect(words).toEqual(['Waiting to load', 'Loading', 'Loaded', 'Errors']);
  });

  it('describes how its loads ended', () => {
    const file = [{}];
    expect(statusSentence({ status: 2, file })).toBe('All files are loaded.');
    expect(statusSentence({ status: 2, file: [] })).toBe('The audience is empty.');
    expect(statusSentence({ status: 3, file })).toContain('problems below');
    expect(statusSentence({ status: 0, file }) + statusSentence({ status: 1, file })).toBe('');
  });

  it('says when it was cleared', () => {
    const cleared = { status: 2, cleared_at: '2026-03-05T10:00:00Z', file: [] };
    expect(stateWord(cleared)).toBe('Cleared');
    expect(statusSentence(cleared)).toMatch(/^Cleared on 5 Mar 2026, /);
    expect(stateWord({ ...cleared, status: 0 })).toBe('Waiting to load');
  });

  it('shows the customer to the partner, and the partner to the customer', () => {
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

  it('is null for an empty audience', () => {
    expect(matchRate({ unique_devices: 0, matched_devices: 0 })).toBeNull();
  });
});

describe('the warning before clearing', () => {
  const file = [{ status: 2 }, { status: 3 }];

  it('counts devices, files and loads', () => {
    const words = clearingLoses({ unique_devices: 1_234_567, file }, 2).join('\n');
    expect(words).toContain('1,234,567 devices and their event labels are removed.');
    expect(words).toContain('2 files are removed from the list.');
    expect(words).toContain('2 waiting or running loads are cancelled.');
  });

  it('uses the singular for one', () => {
    const words = clearingLoses({ unique_devices: 1, file: file.slice(1) }, 1).join('\n');
    expect(words).toContain('1 device and its event labels are removed.');
    expect(words).toContain('1 file is removed from the list.');
    expect(words).toContain('1 waiting or running load is cancelled.');
  });

  it('omits files and loads if there are none', () => {
    const words = clearingLoses({ unique_devices: 0, file: [] }, 0).join('\n');
    expect(words).toContain('The audience has no devices.');
    expect(words).not.toMatch(/file|cancelled/);
  });
});
