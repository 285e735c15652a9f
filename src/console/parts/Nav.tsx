import { useEffect, useRef } from 'preact/hooks';
import { route, viewNames } from '../state/route.js';
import { titles } from '../state/titles.js';
import { Icon } from './Icon.js';

export function Nav() {
  const { view } = route.value;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the links lie side by side, and the current one may be out of sight.
    const { current } = nav;
    const link = current?.querySelector<HTMLElement>('[aria-current]');
    if (current !== null && link) current.scrollLeft = link.offsetLeft - (current.clientWidth - link.offsetWidth) / 2;
  }, [view]);
  return (
    <nav ref={nav} class="nav" aria-label="Views">
      <ul role="list">
        {viewNames.map((name) => (
          <li key={name}>
            <a href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
              <Icon name={name} />
              {titles[name]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
