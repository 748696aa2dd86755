import { useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

interface CopyCommandProps {
  readonly command: string;
  /** What the text is. A command, if left out. */
  readonly what?: string;
}

/** A command for a terminal. Long lines wrap; the button copies the text as it is. */
export function CopyCommand({ command, what = 'the command' }: CopyCommandProps) {
  const code = useRef<HTMLElement>(null);
  return (
    <div className="copy-command">
      <pre>
        <code ref={code}>{command}</code>
      </pre>
      <CopyButton text={command} what={what} source={code} />
    </div>
  );
}
