import { useId, useState } from 'react';
import { chooseTheme, currentTheme, type Theme, themes } from './theme.ts';

const words: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme);
  const name = useId();
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">Theme</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === theme}
            onChange={() => {
              chooseTheme(each);
              setTheme(each);
            }}
          />
          <span>{words[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
