export interface PasswordErrors {
  readonly current?: string;
  readonly wanted?: string;
  readonly again?: string;
}

const shortest = 12;

/** The errors of the three fields that can be found without the service. */
export function passwordErrors(current: string, wanted: string, again: string): PasswordErrors {
  return {
    ...(current === '' ? { current: 'Enter your current password.' } : {}),
    ...wantedError(current, wanted),
    ...(again === wanted ? {} : { again: 'The passwords do not match.' }),
  };
}

function wantedError(current: string, wanted: string): PasswordErrors {
  // The service counts characters, not UTF-16 units.
  const length = [...wanted].length;
  if (length < shortest) {
    return { wanted: `Too short: ${length} of at least ${shortest} characters.` };
  }
  return wanted === current ? { wanted: 'This is your current password.' } : {};
}
