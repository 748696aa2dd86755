import { useEffect, useId, useRef, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { type AddressFault, addressFaults, reachOfLine } from './redirect-addresses.ts';

export interface RedirectAddressesFieldProps {
  readonly text: string;
  readonly problem: Problem | undefined;
  onText(text: string): void;
}

/** Says of each line what is wrong with it, and goes to the first that is. */
export function RedirectAddressesField({ text, problem, onText }: RedirectAddressesFieldProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  // By the lines as they were sent, whatever is typed since.
  const [faults, setFaults] = useState<readonly AddressFault[]>([]);

  useEffect(() => {
    const field = area.current;
    if (!field) return;
    const found = addressFaults(problem, field.value);
    setFaults(found);
    const [first] = found;
    if (!first) return;
    field.focus();
    if (first.line !== undefined) field.setSelectionRange(...reachOfLine(field.value, first.line));
  }, [problem]);

  const isFaulty = faults.length > 0;
  return (
    <div className="field operator-addresses">
      <label htmlFor={id}>Redirect addresses</label>
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
        Where users are sent back to: up to ten, one per line, matched to the letter. They begin
        with https, or on localhost with http.
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
