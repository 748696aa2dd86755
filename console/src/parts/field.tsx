import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The error, shown beside the field and announced at once. */
  readonly problem?: string | undefined;
}

export interface TextFieldProps extends FieldProps, ComponentProps<'input'> {}

export function TextField({ label, hint, problem, className, ...input }: TextFieldProps) {
  const ids = useFieldIds(input.id, hint, problem);
  return (
    <Labelled ids={ids} label={label} hint={hint} problem={problem} className={className}>
      <input
        type="text"
        {...input}
        id={ids.input}
        aria-describedby={ids.describedBy}
        aria-invalid={problem !== undefined}
      />
    </Labelled>
  );
}

export interface SelectFieldProps extends FieldProps, ComponentProps<'select'> {}

export function SelectField({ label, hint, problem, className, ...select }: SelectFieldProps) {
  const ids = useFieldIds(select.id, hint, problem);
  return (
    <Labelled ids={ids} label={label} hint={hint} problem={problem} className={className}>
      <select
        {...select}
        id={ids.input}
        aria-describedby={ids.describedBy}
        aria-invalid={problem !== undefined}
      />
    </Labelled>
  );
}

interface FieldIds {
  readonly input: string;
  readonly hint: string;
  readonly problem: string;
  readonly describedBy: string | undefined;
}

function useFieldIds(ownId: string | undefined, hint: ReactNode, problem?: string): FieldIds {
  const id = useId();
  const input = ownId ?? id;
  const described = [
    ...(hint === undefined ? [] : [`${input}-hint`]),
    ...(problem === undefined ? [] : [`${input}-problem`]),
  ];
  return {
    input,
    hint: `${input}-hint`,
    problem: `${input}-problem`,
    describedBy: described.length === 0 ? undefined : described.join(' '),
  };
}

interface LabelledProps extends FieldProps {
  readonly ids: FieldIds;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function Labelled({ ids, label, hint, problem, className, children }: LabelledProps) {
  return (
    <div className={className === undefined ? 'field' : `field ${className}`}>
      <label htmlFor={ids.input}>{label}</label>
      {children}
      {hint !== undefined && (
        <p className="field-hint" id={ids.hint}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p className="field-problem" id={ids.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
