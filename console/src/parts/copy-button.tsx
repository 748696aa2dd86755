import { type RefObject, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

const shownMs = 2_000;

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for screen readers. */
  readonly what: string;
  /** The element with the text. It is selected if the page may not write to the clipboard. */
  readonly source: RefObject<HTMLElement | null>;
}

export function CopyButton({ text, what, source }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'selected'>();

  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy(): Promise<void> {
    if (await writeToClipboard(text)) {
      setOutcome('copied');
      return;
    }
    if (source.current) getSelection()?.selectAllChildren(source.current);
    setOutcome('selected');
  }

  return (
    <button type="button" className="button plain copy-button" onClick={copy}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span className="visually-hidden">Copy {what}</span>
      <span aria-hidden="true">Copy</span>
      <span className="visually-hidden" role="status">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'selected' && 'Selected: press Ctrl+C to copy'}
      </span>
    </button>
  );
}

/** Browsers block the clipboard for pages loaded over plain HTTP, except from localhost. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
