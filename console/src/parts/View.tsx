import type { ComponentChildren } from 'preact';

/** The frame of a view: heading, purpose and actions. */
export function View({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="view">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {actions !== undefined && <div class="button-row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
