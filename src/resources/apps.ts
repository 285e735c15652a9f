import * as z from 'zod/mini';
import { endpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { carryResponse } from '../core/call/response.js';
import * as s from '../schema/fields.js';
import { knownPlatforms, type KnownPlatform, type Platform } from '../model/known-values.js';

/** The client's own OAuth app, as registered at the service (Registered OAuth app). Its secret is never returned. */
export interface OAuthApp {
  /** The app's ID: pass it as `appId` when connecting accounts under it. */
  id: string;
  /** The platform. */
  platform?: Platform | undefined;
  /** The app's name. */
  name?: string | undefined;
  /** The URL of the app's image. */
  imageUrl?: string | undefined;
  /** The app's client ID at the platform. */
  clientId?: string | undefined;
  /** The number of integrations that use it. */
  integrationCount?: number | undefined;
  /** When it was registered, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** When it was last changed, an ISO 8601 date-time. */
  updatedAt?: string | undefined;
}

/** Your OAuth app to register (POST /v1/apps/). The API document does not say which fields are required. */
export interface CreateAppBody {
  /** The platform. */
  platform?: KnownPlatform | undefined;
  /** A name for it. */
  name?: string | undefined;
  /** The app's client ID at the platform. */
  clientId?: string | undefined;
  /** The app's client secret at the platform. It is sent, and shown nowhere. */
  clientSecret?: string | undefined;
}

export const oauthAppSchema = s.once(() =>
  s.reply({
    id: s.id(),
    platform: s.optional(s.open(knownPlatforms)),
    name: s.optionalString(),
    imageUrl: s.optionalString(),
    clientId: s.optionalString(),
    integrationCount: s.optionalInteger(),
    createdAt: s.optionalReplyDateTime(),
    updatedAt: s.optionalReplyDateTime(),
  }),
);

export const createAppBodySchema = s.once(() =>
  z.strictObject({
    platform: z.optional(s.oneOf(knownPlatforms)),
    name: s.optionalString(),
    clientId: s.optionalString(),
    clientSecret: s.optionalString(),
  }),
);

export const createAppResponseSchema = s.once(() => s.envelope({ app: oauthAppSchema() }));

export const appEndpoints = {
  create: endpoint({
    route: 'POST /v1/apps/',
    summary: "Stores the credentials of the client's own OAuth app.",
    body: createAppBodySchema,
    response: createAppResponseSchema,
    retry: 'once',
    secrets: { body: ['clientSecret'] },
    errorForm: 'error',
  }),
};

/** The client's own OAuth apps. A plain object can implement it in tests. */
export interface Apps extends Pick<AppsResource, keyof AppsResource> {}

/** The client's own OAuth apps. */
export class AppsResource extends Resource {
  /**
   * Stores the credentials of the client's own OAuth app and resolves to the app, without its secret. It is never sent
   * again once it may have reached the service: see `error.outcome`.
   *
   * API document: Own OAuth apps, POST /v1/apps/.
   *
   * @example
   * ```ts
   * const { id } = await client.apps.create({ platform: 'linkedin', name: 'Ours', clientId, clientSecret });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused
   */
  async create(body: CreateAppBody, options?: RequestOptions): Promise<OAuthApp> {
    const response = await this.transport.call(appEndpoints.create, { body }, options);
    return carryResponse(response, response.app);
  }
}
