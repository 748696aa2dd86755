import { useEffect, useId, useRef, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { type AddressError, addressErrors, rangeOfLine } from './redirect-addresses.ts';

export interface RedirectAddressesFieldProps {
  readonly text: string;
  readonly problem: Problem | undefined;
  onText(text: string): void;
}

/** Shows the error of each line, and selects the first invalid line. */
export function RedirectAddressesField({ text, problem, onText }: RedirectAddressesFieldProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  // Line numbers are those of the text that was sent, not of what is typed since.
  const [faults, setFaults] = useState<readonly AddressError[]>([]);

  useEffect(() => {
    const field = area.current;
    if (!field) return;
    const found = addressErrors(problem, field.value);
    setFaults(found);
    const [first] = found;
    if (!first) return;
    field.focus();
    if (first.line !== undefined) field.setSelectionRange(...rangeOfLine(field.value, first.line));
  }, [problem]);

  const isFaulty = faults.length > 0;
  return (
    <div className="field operator-addresses">
      <label htmlFor={id}>Redirect URIs</label>
      <textarea
        ref={area}
        id={id}
        rows={4}
        wrap="off"
        required
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={isFaulty ? `${id}-hint ${id}-problem` : `${id}-hint`}
        aria-invalid={isFaulty}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <p className="field-hint" id={`${id}-hint`}>
        Where users return to: up to ten, one per line, compared exactly. Use https, or http on
        localhost.
      </p>
      {isFaulty && (
        <div className="field-problem" id={`${id}-problem`} role="alert">
          {faults.map(({ line, message }) => (
            <p key={`${line} ${message}`}>
              {line === undefined ? 'The list' : `Line ${line}`} {message}.
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
