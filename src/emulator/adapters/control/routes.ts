import { accountRoutes } from './account-routes.js';
import { clockRoutes } from './clock-routes.js';
import { wrongDayRoutes } from './fault-routes.js';
import { observedRoutes } from './observed-routes.js';
import { incomingRoutes } from './comment-message-routes.js';
import type { ControlRoute } from './route.js';
import { seedRoutes } from './seed-routes.js';
import { stateRoutes } from './state-routes.js';
import { trafficRoutes } from './traffic-routes.js';

export const controlRoutes: readonly ControlRoute[] = [
  ...stateRoutes,
  ...seedRoutes,
  ...accountRoutes,
  ...incomingRoutes,
  ...clockRoutes,
  ...wrongDayRoutes,
  ...trafficRoutes,
  ...observedRoutes,
];
