export interface PasswordErrors {
  readonly current?: string;
  readonly wanted?: string;
  readonly again?: string;
}

const shortest = 12;

/** The errors of the fields that can be found without the service. A link needs no current password. */
export function passwordErrors(
  current: string | undefined,
  wanted: string,
  again: string,
): PasswordErrors {
  return {
    ...(current === '' ? { current: 'Enter your current password.' } : {}),
    ...wantedError(current, wanted),
    ...(again === wanted ? {} : { again: 'The passwords do not match.' }),
  };
}

function wantedError(current: string | undefined, wanted: string): PasswordErrors {
  // The service counts characters, not UTF-16 units.
  const length = [...wanted].length;
  if (length < shortest) {
    return { wanted: `Too short: ${length} of at least ${shortest} characters.` };
  }
  return wanted === current ? { wanted: 'This is your current password.' } : {};
}
