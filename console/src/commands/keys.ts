import { effect, signal } from '@preact/signals';

/** Whether the command key of the device is Cmd. */
export const isMac = navigator.userAgent.includes('Mac');

/** The keys that send a form, or press the main button of a dialog. */
export const mainKeyNames = isMac ? '⌘ Enter' : 'Ctrl Enter';

const key = 'emulator-console-single-keys';

/** Whether single keys are shortcuts. Speech input may type them by accident, so they can be switched off. */
export const hasSingleKeys = signal(localStorage.getItem(key) !== 'off');

effect(() => {
  localStorage.setItem(key, hasSingleKeys.value ? 'on' : 'off');
});

/** A shortcut in the words of the help sheet; two keys are pressed one after the other. */
export type Keys = readonly string[];
