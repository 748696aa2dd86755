/** What the service writes into the page: what the console has to know before anyone signs in. */

export function brandName(): string {
  return factOf('brand') ?? 'Tributary';
}

/** The address of the operator's logo. */
export function brandLogo(): string | undefined {
  return factOf('logo');
}

/** Whether users can ask for a new password by e-mail. */
export function sendsMail(): boolean {
  return factOf('mail') !== undefined;
}

function factOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="tributary-${name}"]`)?.content;
}
