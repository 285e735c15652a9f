import { route, viewNames } from '../state/route.js';
import { titles } from '../state/titles.js';
import { Icon } from './Icon.js';

export function Nav() {
  const { view } = route.value;
  return (
    <nav class="nav" aria-label="Views">
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
