import { fieldProblem, type Problem } from '../../api/problem.ts';
import { NameField } from './name-field.tsx';
import { addressesIn } from './redirect-addresses.ts';
import { RedirectAddressesField } from './redirect-addresses-field.tsx';
import type { App } from './wire.ts';

/** As it is typed. */
export interface AppDraft {
  readonly name: string;
  /** One per line. */
  readonly addresses: string;
}

/** What the fields say themselves what is wrong with. */
export const draftFields = ['name', 'redirect_uris'] as const;

export function draftOf({ name, redirect_uris }: App): AppDraft {
  return { name, addresses: redirect_uris.join('\n') };
}

export function bodyOf({ name, addresses }: AppDraft): Pick<App, 'name' | 'redirect_uris'> {
  return { name: name.trim(), redirect_uris: addressesIn(addresses) };
}

export interface AppFieldsProps {
  readonly draft: AppDraft;
  readonly problem: Problem | undefined;
  onDraft(draft: AppDraft): void;
}

/** What can be changed of an app later on. */
export function AppFields({ draft, problem, onDraft }: AppFieldsProps) {
  return (
    <>
      <NameField
        hint="Users read it where they allow the app to act for them."
        problem={fieldProblem(problem, 'name')}
        name={draft.name}
        onName={(name) => onDraft({ ...draft, name })}
      />
      <RedirectAddressesField
        text={draft.addresses}
        problem={problem}
        onText={(addresses) => onDraft({ ...draft, addresses })}
      />
    </>
  );
}
