import { readAnswer, showAnswer } from './answer.ts';
import { confirmRequest } from './confirm-request.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { element } from './element.ts';
import { type Entered, prepareRequest } from './request.ts';

/** Credentials by name, for all forms. Only this page knows them, and only until it is closed. */
const credentials = new Map<string, string>();

const noResponse =
  'No response. Check that the service is running and reachable, then send the request again.';

/** Adds a button to each operation that opens a form, which sends the request to this service. */
export function addTryForms(): void {
  for (const template of document.querySelectorAll<HTMLTemplateElement>('template.try')) {
    const title = template.closest('article')?.querySelector('h3')?.textContent ?? '';
    const toggle = element(
      'button',
      {
        type: 'button',
        class: 'action try-toggle',
        'aria-expanded': 'false',
        'aria-label': `Try it: ${title}`,
      },
      'Try it',
    );
    let panel: HTMLFormElement | undefined;
    toggle.addEventListener('click', () => {
      const isNew = panel === undefined;
      panel ??= createForm(template, title);
      if (isNew) toggle.after(panel);
      panel.hidden = !isNew && !panel.hidden;
      toggle.ariaExpanded = String(!panel.hidden);
      if (panel.hidden) return;
      fillCredentials(panel);
      firstEmpty(panel)?.focus();
    });
    template.after(toggle);
  }
}

function createForm(template: HTMLTemplateElement, title: string): HTMLFormElement {
  const { method = 'GET', path = '/', accept = '*/*', asks } = template.dataset;
  const send = element('button', { class: 'action main' }, 'Send request');
  const stop = element('button', { type: 'button', class: 'action', hidden: true }, 'Stop');
  const answer = element('div', { class: 'answer', 'aria-live': 'polite' });
  const form = element(
    'form',
    { class: 'try-panel', 'aria-label': `Try it: ${title}`, autocomplete: 'off' },
    template.content.cloneNode(true),
    element(
      'p',
      {},
      `Sends a real request to ${location.origin}. Secrets stay in this page until you close it.`,
    ),
    element('div', { class: 'actions' }, send, stop),
    answer,
  );
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.dataset.in === 'credential') {
      credentials.set(target.name, target.value);
    }
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const stopping = new AbortController();
    const abort = () => stopping.abort();
    const say = (text: string) => answer.replaceChildren(element('p', {}, text));
    try {
      const request = prepareRequest({ method, path, accept }, enteredIn(form), location.origin);
      if (asks !== undefined && !(await confirmRequest(method, request.url, request.init.body)))
        return;
      stop.addEventListener('click', abort);
      send.disabled = true;
      stop.hidden = false;
      say('Waiting for the response …');
      const startedAt = performance.now();
      const response = await fetch(request.url, { ...request.init, signal: stopping.signal });
      answer.replaceChildren(...showAnswer(await readAnswer(response, startedAt)));
      addCopyButtons(answer);
    } catch (error) {
      if (error instanceof RangeError) say(error.message);
      else say(stopping.signal.aborted ? 'Stopped.' : noResponse);
    } finally {
      stop.removeEventListener('click', abort);
      stop.hidden = true;
      send.disabled = false;
    }
  });
  return form;
}

function fieldsOf(form: HTMLFormElement): (HTMLInputElement | HTMLTextAreaElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-in]')];
}

function fillCredentials(form: HTMLFormElement): void {
  for (const field of fieldsOf(form)) {
    if (field.dataset.in === 'credential') field.value = credentials.get(field.name) ?? '';
  }
}

function firstEmpty(form: HTMLFormElement): HTMLElement | undefined {
  return fieldsOf(form).find((field) => field.required && field.value === '');
}

function enteredIn(form: HTMLFormElement): Entered[] {
  return fieldsOf(form).map((field) => {
    const { in: place = '', header = '', prefix = '', type = '' } = field.dataset;
    const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined;
    return { place, name: field.name, value: file ?? field.value, header, prefix, type };
  });
}
