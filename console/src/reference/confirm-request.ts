import { element } from './element.ts';

/** Asks before a request that changes something. */
export function confirmRequest(method: string, url: URL, body: unknown): Promise<boolean> {
  const cancel = element('button', { value: 'cancel', class: 'action', autofocus: true }, 'Cancel');
  const send = element('button', { value: 'send', class: 'action main' }, `Send ${method}`);
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'confirm-request' },
    element('h2', { id: 'confirm-request' }, `Send this ${method} request?`),
    element('p', {}, element('code', {}, `${method} ${url}`)),
    ...(typeof body === 'string' ? [element('pre', {}, body)] : []),
    element(
      'p',
      {},
      'This request changes real data. What it deletes, clears or replaces cannot be restored.',
    ),
    element('form', { method: 'dialog', class: 'actions' }, cancel, send),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'send');
    });
  });
}
