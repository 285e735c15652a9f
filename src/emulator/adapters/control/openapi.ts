import * as z from 'zod/mini';
import { endpointAt } from '../../../core/call/endpoint.js';
import { controlPath, type ControlRoute, valuesOf } from './route.js';

const jsonSchemaOf = (schema: z.core.$ZodType): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return rest;
};

const json = (schema: object) => ({ 'application/json': { schema } });

const errors = {
  '400': { description: 'The request is not valid. The field error says why.' },
  '403': { description: 'The Host or the Origin does not belong to this computer.' },
  '404': { description: 'The ID or the route is unknown.' },
  default: {
    description: 'Every error has this form.',
    content: json({ type: 'object', required: ['error'], properties: { error: { type: 'string' } } }),
  },
};

/**
 * Generates the OpenAPI document of the control API from its routes. The build replaces this function with its result,
 * so the package contains the document and not the code for JSON Schemas (`scripts/control-document.ts`).
 */
export function controlDocument(routes: readonly ControlRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const { method, route: path } = endpointAt(route);
    (paths[`${controlPath}${path}`] ??= {})[method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the social publishing emulator',
      version: '1',
      description:
        'Seeds, clock, faults, deliveries and state of an emulator. On loopback it requires no key. With emulatorRoute, it requires an access key of the emulator.',
    },
    paths,
  };
}

function operation(route: ControlRoute): object {
  const { route: name, summary, reply } = route;
  const { description, schema, type } = reply;
  const shown = schema === undefined ? {} : jsonSchemaOf(schema());
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  const body = requestBody(route);
  return {
    operationId: name.toLowerCase().split(/\W+/).filter(Boolean).join('_'),
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      '200': {
        description,
        content: type === undefined ? json(shown) : { [type]: { schema: { type: 'string' } } },
      },
      ...errors,
    },
  };
}

function pathParameters({ route, params = {} }: ControlRoute): object[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, values } = params[name] ?? { description: name };
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string', ...(values === undefined ? {} : { enum: values }) },
    };
  });
}

function queryParameters({ query }: ControlRoute): object[] {
  if (query === undefined) return [];
  return Object.entries(query().shape).map(([name, field]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchemaOf(field),
  }));
}

function requestBody(route: ControlRoute): object | undefined {
  const { body, bodyOf, bodyOptional } = route;
  const required = bodyOptional !== true;
  if (body !== undefined) return { required, content: json(jsonSchemaOf(body())) };
  if (bodyOf === undefined) return undefined;
  const schemas = valuesOf(route).flatMap((value) => {
    const schema = bodyOf(() => value);
    return schema === undefined ? [] : [{ title: value, ...jsonSchemaOf(schema) }];
  });
  return { required, content: json({ anyOf: schemas }) };
}
