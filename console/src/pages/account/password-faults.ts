export interface PasswordFaults {
  readonly current?: string;
  readonly wanted?: string;
  readonly again?: string;
}

const shortest = 12;

/** What is wrong with the three fields, as far as that can be told without the service. */
export function passwordFaults(current: string, wanted: string, again: string): PasswordFaults {
  return {
    ...(current === '' ? { current: 'Enter the password that you sign in with now.' } : {}),
    ...wantedFault(current, wanted),
    ...(again === wanted ? {} : { again: 'This is not the same as above.' }),
  };
}

function wantedFault(current: string, wanted: string): PasswordFaults {
  // As the service counts: by characters, not by the units that they are stored in.
  const length = [...wanted].length;
  if (length < shortest) return { wanted: `Has ${length} of at least ${shortest} characters.` };
  return wanted === current ? { wanted: 'This is the one that you have.' } : {};
}
