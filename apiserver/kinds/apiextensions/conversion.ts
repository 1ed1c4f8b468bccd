/** How objects get from one version into another: not at all, or through a webhook. */
import { forbiddenField, invalidValue, notSupported, required } from '../../../shared/api/errors/field-error';
import { parseUrl } from '../../../shared/values/go-url';
import { dns1035Label, dnsSubdomain } from '../../../shared/values/name-formats';
import { checkFormat, checkRequired, type Errors } from '../rules/checks';
import type {
  ApiextensionsV1CustomResourceDefinitionSpec,
  ApiextensionsV1ServiceReference,
  ApiextensionsV1WebhookClientConfig,
  ApiextensionsV1WebhookConversion,
} from '../../../shared/api/types/generated/members';

const STRATEGIES = ['None', 'Webhook'];
/** The versions of the review that a webhook may understand. */
const REVIEWS = ['v1', 'v1beta1'];
const PLACE = 'spec.conversion';
const CLIENT = `${PLACE}.webhookClientConfig`;
const REVIEW_VERSIONS = `${PLACE}.conversionReviewVersions`;
const HIGHEST_PORT = 65_535;

export function checkConversion({ conversion, preserveUnknownFields }: ApiextensionsV1CustomResourceDefinitionSpec, errors: Errors): void {
  if (conversion === undefined) return;
  const { strategy = '', webhook = {} } = conversion;
  checkStrategy(strategy, preserveUnknownFields === true, errors);
  if (strategy === 'Webhook') checkWebhook(webhook, errors);
  else checkNoWebhook(webhook, errors);
}

function checkStrategy(strategy: string, keepsUnknown: boolean, errors: Errors): void {
  const field = `${PLACE}.strategy`;
  if (strategy === '') {
    errors.push(required(field));
    return;
  }
  if (keepsUnknown && strategy !== 'None') {
    errors.push(invalidValue(field, strategy, 'must be None if spec.preserveUnknownFields is true'));
  }
  if (!STRATEGIES.includes(strategy)) errors.push(notSupported(field, strategy, STRATEGIES));
}

function checkNoWebhook({ clientConfig, conversionReviewVersions }: ApiextensionsV1WebhookConversion, errors: Errors): void {
  const text = 'should not be set when strategy is not set to Webhook';
  if (clientConfig !== undefined) errors.push(forbiddenField(CLIENT, text));
  if ((conversionReviewVersions ?? []).length > 0) errors.push(forbiddenField(REVIEW_VERSIONS, text));
}

function checkWebhook({ clientConfig, conversionReviewVersions }: ApiextensionsV1WebhookConversion, errors: Errors): void {
  if (clientConfig === undefined) errors.push(required(CLIENT, 'required when strategy is set to Webhook'));
  else checkClient(clientConfig, errors);
  checkReviews(conversionReviewVersions ?? [], errors);
}

function checkClient({ url, service }: ApiextensionsV1WebhookClientConfig, errors: Errors): void {
  if ((url === undefined) === (service === undefined)) errors.push(required(CLIENT, 'exactly one of url or service is required'));
  else if (url !== undefined) checkUrl(url, errors);
  else checkService(service ?? {}, errors);
}

const FORM = '; desired format: https://host[/path]';

function checkUrl(text: string, errors: Errors): void {
  const field = `${CLIENT}.url`;
  const parsed = parseUrl(text);
  if (parsed.type === 'bad') {
    errors.push(required(field, `url must be a valid URL: ${parsed.fault}${FORM}`));
    return;
  }
  const { scheme, host, user, fragment, query } = parsed.url;
  if (scheme !== 'https') errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
}

function checkService(service: ApiextensionsV1ServiceReference, errors: Errors): void {
  const place = `${CLIENT}.service`;
  const { path = '', port = 0 } = service;
  checkRequired(service, 'name', place, errors, undefined, 'service name is required');
  checkRequired(service, 'namespace', place, errors, undefined, 'service namespace is required');
  checkServicePath(path, `${place}.path`, errors);
  if (port >= 1 && port <= HIGHEST_PORT) return;
  errors.push(invalidValue(`${place}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
}

/** A path whose steps are names of domains. */
function checkServicePath(path: string, field: string, errors: Errors): void {
  if (path === '' || path === '/') return;
  if (!path.startsWith('/')) errors.push(invalidValue(field, path, "must start with a '/'"));
  const segments = path.slice(1).split('/');
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  segments.forEach((segment, index) => {
    if (segment === '') errors.push(invalidValue(field, path, `segment[${index}] may not be empty`));
    else for (const text of dnsSubdomain(segment)) errors.push(invalidValue(field, path, `segment[${index}]: ${text}`));
  });
}

function checkReviews(versions: readonly string[], errors: Errors): void {
  if (versions.length === 0) {
    errors.push(required(REVIEW_VERSIONS));
    return;
  }
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    const field = `${REVIEW_VERSIONS}[${index}]`;
    if (seen.has(version)) errors.push(invalidValue(field, version, 'duplicate version'));
    else checkFormat(version, field, dns1035Label, errors);
    seen.add(version);
  });
  if (versions.some((version) => REVIEWS.includes(version))) return;
  errors.push(invalidValue(REVIEW_VERSIONS, versions, `must include at least one of ${REVIEWS.join(', ')}`));
}
