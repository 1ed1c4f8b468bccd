/**
 * Validates the conversion of a CustomResourceDefinition: none, or through a webhook, which then must be complete.
 * Calling the webhook is left to `apiserver/conversion`.
 */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { checkReviewVersions, checkWebhookClientConfig } from '../rules/webhook-client';
import type {
  ApiextensionsV1CustomResourceDefinitionSpec,
  ApiextensionsV1WebhookConversion,
} from '../../../shared/api/types/generated/members';

const STRATEGIES = ['None', 'Webhook'];
const CONVERSION = 'spec.conversion';
const CLIENT_CONFIG = `${CONVERSION}.webhookClientConfig`;
const REVIEW_VERSIONS = `${CONVERSION}.conversionReviewVersions`;

export function checkConversion(spec: ApiextensionsV1CustomResourceDefinitionSpec, errors: Errors): void {
  if (spec.conversion === undefined) return;
  const { strategy = '', webhook = {} } = spec.conversion;
  checkStrategy(strategy, spec, errors);
  if (strategy === 'Webhook') checkWebhook(webhook, errors);
  else checkNoWebhook(webhook, errors);
}

function checkStrategy(strategy: string, { preserveUnknownFields }: ApiextensionsV1CustomResourceDefinitionSpec, errors: Errors): void {
  const field = `${CONVERSION}.strategy`;
  if (strategy === '') {
    errors.push(requiredValue(field));
    return;
  }
  if (preserveUnknownFields === true && strategy !== 'None') {
    errors.push(invalidValue(field, strategy, 'must be None if spec.preserveUnknownFields is true'));
  }
  if (!STRATEGIES.includes(strategy)) errors.push(unsupportedValue(field, strategy, STRATEGIES));
}

function checkNoWebhook({ clientConfig, conversionReviewVersions }: ApiextensionsV1WebhookConversion, errors: Errors): void {
  const text = 'should not be set when strategy is not set to Webhook';
  if (clientConfig !== undefined) errors.push(forbiddenField(CLIENT_CONFIG, text));
  if ((conversionReviewVersions ?? []).length > 0) errors.push(forbiddenField(REVIEW_VERSIONS, text));
}

function checkWebhook({ clientConfig, conversionReviewVersions }: ApiextensionsV1WebhookConversion, errors: Errors): void {
  if (clientConfig === undefined) errors.push(requiredValue(CLIENT_CONFIG, 'required when strategy is set to Webhook'));
  else checkWebhookClientConfig(clientConfig, CLIENT_CONFIG, errors);
  checkReviewVersions(conversionReviewVersions ?? [], REVIEW_VERSIONS, errors);
}
