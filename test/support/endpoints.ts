import type { Endpoint } from '../../src/core/call/endpoint.js';
import { endpoints } from '../../src/resources/endpoints.js';

/** Every operation by its name, such as `posts.create`. The type parameters of an endpoint say nothing here. */
export const endpointsByName: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  Object.entries(endpoints).flatMap(([resource, methods]) =>
    Object.entries<Endpoint>(methods).map(([method, endpoint]) => [`${resource}.${method}`, endpoint]),
  ),
);
