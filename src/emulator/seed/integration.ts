import { integrationDetailSchema, type Integration, type IntegrationDetail } from '../../resources/integrations.js';
import type { KnownPlatform } from '../../model/platforms.js';
import type { Service } from '../handlers/handler.js';
import { connect } from '../handlers/connect.js';
import { shownIntegration } from '../handlers/integrations.js';
import { checked, checkPlatform, failing } from './checks.js';

/** An integration to seed: any of its fields. */
export type IntegrationSeed = Partial<IntegrationDetail> & {
  /** The platform. */
  readonly platform: KnownPlatform;
};

export function seedIntegration(service: Service, fields: IntegrationSeed): Integration {
  const { id } = fields;
  checkPlatform(failing('integration'), fields.platform);
  const given = checked('integration', integrationDetailSchema(), { id: '', ...fields });
  const integration = connect(service, {
    ...given,
    platform: fields.platform,
    id: id ?? service.store.id('integration'),
  });
  return structuredClone(shownIntegration(integration));
}
