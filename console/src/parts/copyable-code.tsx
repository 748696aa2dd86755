import { useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

export interface CopyableCodeProps {
  readonly text: string;
  /** What it is, for screen readers. */
  readonly what: string;
}

/** A value with a button that copies it. */
export function CopyableCode({ text, what }: CopyableCodeProps) {
  const code = useRef<HTMLElement>(null);
  return (
    <span className="copyable">
      <code ref={code}>{text}</code>
      <CopyButton text={text} what={what} source={code} />
    </span>
  );
}
