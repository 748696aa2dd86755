export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The service writes the theme of this cookie into the page, so that no other one is painted first. */
const cookieName = 'tributary-theme';
const yearSeconds = 365 * 86_400;

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return themes.find((theme) => theme === chosen) ?? 'system';
}

/** Changes the theme at once, and for the next visits of this browser. */
export function chooseTheme(theme: Theme): void {
  const isSystem = theme === 'system';
  if (isSystem) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const age = isSystem ? 0 : yearSeconds;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox has no other way for pages without TLS.
  document.cookie = `${cookieName}=${theme}; Path=/console; Max-Age=${age}; SameSite=Strict`;
}
