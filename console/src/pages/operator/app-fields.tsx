import { fieldProblem, type Problem } from '../../api/problem.ts';
import { NameField } from './name-field.tsx';
import { addressesIn } from './redirect-addresses.ts';
import { RedirectAddressesField } from './redirect-addresses-field.tsx';
import type { App } from './wire.ts';

/** The fields as typed. */
export interface AppDraft {
  readonly name: string;
  /** One per line. */
  readonly addresses: string;
}

/** The fields of the body that show their own errors. */
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

/** The fields of an app that can be changed later. */
export function AppFields({ draft, problem, onDraft }: AppFieldsProps) {
  return (
    <>
      <NameField
        hint="Shown to users when they are asked to allow the app."
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
