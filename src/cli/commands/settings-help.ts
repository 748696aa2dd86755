import { type SettingUser, settingsOf } from '../../config/settings.ts';

/** The settings of a program, for its help. */
export function settingsHelp(user: SettingUser): string {
  const used = settingsOf(user);
  const width = Math.max(...used.map(({ name }) => name.length));
  const lines = used.map(({ name, description, defaultText, whenUnset }) => {
    const [summary = ''] = description.split(/\.( |$)/, 1);
    const text = `${summary} (default: ${defaultText ?? whenUnset})`.replaceAll('`', '');
    return `  ${name.padEnd(width)}  ${text}`;
  });
  return ['', 'Settings, from the environment:', ...lines].join('\n');
}
