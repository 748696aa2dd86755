import { element } from './element.ts';

const shownForMs = 2_000;

export function addCopyButtons(root: ParentNode = document): void {
  for (const block of root.querySelectorAll<HTMLElement>('.code')) block.append(copyButton(block));
}

function copyButton(block: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    const done = await copy(block.querySelector('code')?.textContent ?? '');
    button.textContent = done ? 'Copied' : 'Not copied';
    button.classList.add('done');
    setTimeout(() => {
      button.textContent = 'Copy';
      button.classList.remove('done');
    }, shownForMs);
  });
  // The text of the button is read aloud when it changes.
  button.setAttribute('aria-live', 'polite');
  return button;
}

/** Browsers have no clipboard on pages over plain HTTP, except on localhost. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const focused = document.activeElement;
  const field = element('textarea', { class: 'unseen' });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
