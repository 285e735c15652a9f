import type { ComponentChildren } from 'preact';
import type { TargetResult } from 'social-publishing';
import { isKnownPlatform } from 'social-publishing';
import { platformName, platformNames } from '../state/platform-names.js';
import { Icon, type IconName } from './Icon.js';

const statusIcons: Readonly<Record<string, IconName>> = {
  succeeded: 'check',
  draft: 'draft',
  pending: 'waiting',
  scheduled: 'clock',
  publishing: 'waiting',
  published: 'check',
  partial: 'warning',
  failed: 'cross',
  // Intents and inbox events.
  ready: 'clock',
  accepted: 'check',
  done: 'check',
  in_doubt: 'warning',
  rejected: 'cross',
  abandoned: 'cross',
  dead: 'cross',
};

/** The icon of a status, for places without room for its name. */
export function StatusSign({ status = 'unknown' }: { readonly status?: string | undefined }) {
  return (
    <span class={`sign sign-${status}`}>
      <Icon name={statusIcons[status] ?? 'waiting'} />
    </span>
  );
}

/** Shows a state by colour, icon and word, so each works without the others. */
export function StatusBadge({ status = 'unknown' }: { readonly status?: string | undefined }) {
  return (
    <span class={`status status-${status}`}>
      <Icon name={statusIcons[status] ?? 'waiting'} />
      {status}
    </span>
  );
}

/** Shows a positive or negative result in words. */
export function Verdict({ ok, children }: { readonly ok: boolean; readonly children: ComponentChildren }) {
  return (
    <span class={ok ? 'status status-good' : 'status status-bad'}>
      <Icon name={ok ? 'check' : 'warning'} />
      {children}
    </span>
  );
}

export function PlatformBadge({ platform }: { readonly platform: string | undefined }) {
  const letters = isKnownPlatform(platform) ? platformNames[platform].letters : '?';
  return (
    <span class={`platform platform-${platform ?? 'unknown'}`} title={platformName(platform)}>
      <span aria-hidden="true">{letters}</span>
      <span class="unseen">{platformName(platform)}</span>
    </span>
  );
}

/** A platform with the result of the target there. */
export function TargetBadge({ target }: { readonly target: TargetResult }) {
  const { state: result, warning } = target;
  const state = result !== 'failed' && warning !== undefined ? 'partial' : result;
  const words = state !== 'partial' ? state : result === 'published' ? 'published with a warning' : 'will fail';
  return (
    <span class={`target target-${state}`} title={`${platformName(target.platform)}: ${words}`}>
      <PlatformBadge platform={target.platform} />
      <Icon name={statusIcons[state] ?? 'waiting'} />
      <span class="unseen">{words}</span>
    </span>
  );
}
