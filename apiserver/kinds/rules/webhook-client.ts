/**
 * Validates how a webhook is reached (a URL or a Service of this cluster, not both) and the review versions that it
 * supports. Resolves no names and makes no connection.
 */
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { parseGoUrl } from '../../../shared/values/network/go-url';
import { checkDns1035Label, checkDnsSubdomain } from '../../../shared/values/name-formats';
import { checkFormat, type Errors } from './checks';
import type { AdmissionregistrationV1ServiceReference } from '../../../shared/api/types/generated/members';

/** The review versions that the server can send; a webhook must support one of them. */
const SUPPORTED_REVIEW_VERSIONS = ['v1', 'v1beta1'];
const MAX_PORT = 65_535;

/** The members with the address of a webhook, in every kind that configures webhooks. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?: AdmissionregistrationV1ServiceReference | undefined;
}

export function checkWebhookClientConfig({ url, service }: WebhookClientConfig, fieldPath: string, errors: Errors): void {
  const hasUrl = url !== undefined;
  const hasService = service !== undefined;
  if (hasUrl === hasService) errors.push(requiredValue(fieldPath, 'exactly one of url or service is required'));
  else if (hasUrl) checkUrl(url, `${fieldPath}.url`, errors);
  else if (hasService) checkService(service, `${fieldPath}.service`, errors);
}

const URL_FORM = '; desired format: https://host[/path]';

function checkUrl(text: string, field: string, errors: Errors): void {
  const parsed = parseGoUrl(text);
  if (parsed.type === 'bad') {
    errors.push(requiredValue(field, `url must be a valid URL: ${parsed.error}${URL_FORM}`));
    return;
  }
  const { scheme, host, user, fragment, query } = parsed.url;
  if (scheme !== 'https') errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${URL_FORM}`));
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${URL_FORM}`));
  if (user !== undefined) errors.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
}

function checkService(
  { name = '', namespace = '', path = '', port = 0 }: AdmissionregistrationV1ServiceReference,
  fieldPath: string,
  errors: Errors,
): void {
  // A missing namespace is reported at `name`, and a missing name at `namespace` (upstream behaviour).
  if (namespace === '') errors.push(requiredValue(`${fieldPath}.name`, 'service name is required'));
  if (name === '') errors.push(requiredValue(`${fieldPath}.namespace`, 'service namespace is required'));
  if (port < 1 || port > MAX_PORT) {
    errors.push(invalidValue(`${fieldPath}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  checkServicePath(path, `${fieldPath}.path`, errors);
}

/** The segments of the path must be DNS subdomains. */
function checkServicePath(path: string, field: string, errors: Errors): void {
  if (path === '' || path === '/') return;
  if (!path.startsWith('/')) errors.push(invalidValue(field, path, "must start with a '/'"));
  const segments = path.slice(1).split('/');
  const endsWithSlash = segments.length > 1 && segments.at(-1) === '';
  if (endsWithSlash) segments.pop();
  segments.forEach((segment, index) => {
    if (segment === '') {
      errors.push(invalidValue(field, path, `segment[${index}] may not be empty`));
      return;
    }
    for (const text of checkDnsSubdomain(segment)) errors.push(invalidValue(field, path, `segment[${index}]: ${text}`));
  });
}

/** `missingText` is the detail of the error when there are no versions. */
export function checkReviewVersions(versions: readonly string[], fieldPath: string, errors: Errors, missingText = ''): void {
  if (versions.length === 0) {
    errors.push(requiredValue(fieldPath, missingText));
    return;
  }
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    const field = `${fieldPath}[${index}]`;
    if (seen.has(version)) errors.push(invalidValue(field, version, 'duplicate version'));
    else checkFormat(version, field, checkDns1035Label, errors);
    seen.add(version);
  });
  if (versions.some((version) => SUPPORTED_REVIEW_VERSIONS.includes(version))) return;
  errors.push(invalidValue(fieldPath, versions, `must include at least one of ${SUPPORTED_REVIEW_VERSIONS.join(', ')}`));
}
