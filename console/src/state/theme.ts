import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const key = 'emulator-console-theme';
/** The icon of each theme. */
export const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** The theme that the user chose; `system` follows the device. */
export const theme = signal<Theme>(themes.find((name) => name === localStorage.getItem(key)) ?? 'system');

effect(() => {
  const { value } = theme;
  localStorage.setItem(key, value);
  if (value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
}
