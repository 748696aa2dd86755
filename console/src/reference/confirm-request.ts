import { element } from './element.ts';

/** Asks before a request that deletes something or changes the service. */
export function confirmRequest(method: string, url: URL): Promise<boolean> {
  const cancel = element('button', { value: 'cancel', class: 'action', autofocus: true }, 'Cancel');
  const send = element('button', { value: 'send', class: 'action main' }, `Send ${method}`);
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'confirm-request' },
    element('h2', { id: 'confirm-request' }, `Send this ${method} request?`),
    element('p', {}, element('code', {}, `${method} ${url}`)),
    element('p', {}, 'This request changes real data. A deletion cannot be undone.'),
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
