import { useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

/** A command for a terminal. Long ones scroll, so the box takes the keyboard focus. */
export function CopyCommand({ command }: { readonly command: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <div className="copy-command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code ref={code}>{command}</code>
      </pre>
      <CopyButton text={command} what="the command" source={code} />
    </div>
  );
}
