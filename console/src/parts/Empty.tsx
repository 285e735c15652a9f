import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './Icon.js';

/** Explains why a list is empty, and what to do. */
export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  );
}
