/** How objects get from one version into another: not at all, or through a webhook. */
import { append } from '../../../shared/values/append';
import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { parseUrl } from '../../../shared/values/go-url';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../shared/values/json';
import { dns1035Label, dnsSubdomain } from '../../../shared/values/name-formats';
import { numberAt } from '../rules/field-rules';

const STRATEGIES = ['None', 'Webhook'];
/** The versions of the review that a webhook may understand. */
const REVIEWS = ['v1', 'v1beta1'];
const PLACE = 'spec.conversion';
const CLIENT = `${PLACE}.webhookClientConfig`;
const REVIEW_VERSIONS = `${PLACE}.conversionReviewVersions`;
const HIGHEST_PORT = 65_535;

export function conversionErrors(spec: JsonObject): readonly FieldError[] {
  const conversion = objectAt(spec, 'conversion');
  if (conversion === undefined) return [];
  const strategy = stringAt(conversion, 'strategy') ?? '';
  return [
    ...strategyErrors(strategy, spec['preserveUnknownFields'] === true),
    ...webhookErrors(strategy, objectAt(conversion, 'webhook') ?? {}),
  ];
}

function strategyErrors(strategy: string, keepsUnknown: boolean): readonly FieldError[] {
  const field = `${PLACE}.strategy`;
  if (strategy === '') return [required(field)];
  return [
    ...(keepsUnknown && strategy !== 'None' ? [invalidValue(field, strategy, 'must be None if spec.preserveUnknownFields is true')] : []),
    ...(STRATEGIES.includes(strategy) ? [] : [notSupported(field, strategy, STRATEGIES)]),
  ];
}

function webhookErrors(strategy: string, webhook: JsonObject): readonly FieldError[] {
  const client = objectAt(webhook, 'clientConfig');
  const reviews = stringsAt(webhook, 'conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const text = 'should not be set when strategy is not set to Webhook';
    return [
      ...(client === undefined ? [] : [forbiddenField(CLIENT, text)]),
      ...(reviews.length === 0 ? [] : [forbiddenField(REVIEW_VERSIONS, text)]),
    ];
  }
  const ofClient = client === undefined ? [required(CLIENT, 'required when strategy is set to Webhook')] : clientErrors(client);
  return [...ofClient, ...reviewErrors(reviews)];
}

function clientErrors(client: JsonObject): readonly FieldError[] {
  const [url, service] = [stringAt(client, 'url'), objectAt(client, 'service')];
  if ((url === undefined) === (service === undefined)) return [required(CLIENT, 'exactly one of url or service is required')];
  return url === undefined ? serviceErrors(service ?? {}) : urlErrors(url);
}

const FORM = '; desired format: https://host[/path]';

function urlErrors(text: string): readonly FieldError[] {
  const field = `${CLIENT}.url`;
  const parsed = parseUrl(text);
  if (parsed.type === 'bad') return [required(field, `url must be a valid URL: ${parsed.fault}${FORM}`)];
  const { scheme, host, user, fragment, query } = parsed.url;
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors(service: JsonObject): readonly FieldError[] {
  const place = `${CLIENT}.service`;
  const missing = ['name', 'namespace']
    .filter((member) => (stringAt(service, member) ?? '') === '')
    .map((member) => required(`${place}.${member}`, `service ${member} is required`));
  const port = numberAt(service, 'port');
  const isGood = port >= 1 && port <= HIGHEST_PORT;
  return [
    ...missing,
    ...servicePathErrors(stringAt(service, 'path'), `${place}.path`),
    ...(isGood ? [] : [invalidValue(`${place}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
  ];
}

/** A path whose steps are names of domains. */
function servicePathErrors(path: string | undefined, field: string): readonly FieldError[] {
  if (path === undefined || path === '' || path === '/') return [];
  const errors: FieldError[] = [];
  if (!path.startsWith('/')) errors.push(invalidValue(field, path, "must start with a '/'"));
  const segments = path.slice(1).split('/');
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  segments.forEach((segment, index) => {
    if (segment === '') errors.push(invalidValue(field, path, `segment[${index}] may not be empty`));
    else
      append(
        errors,
        dnsSubdomain(segment).map((text) => invalidValue(field, path, `segment[${index}]: ${text}`)),
      );
  });
  return errors;
}

function reviewErrors(versions: readonly string[]): readonly FieldError[] {
  if (versions.length === 0) return [required(REVIEW_VERSIONS)];
  const seen = new Set<string>();
  const each = versions.flatMap((version, index) => {
    const field = `${REVIEW_VERSIONS}[${index}]`;
    if (seen.size === seen.add(version).size) return [invalidValue(field, version, 'duplicate version')];
    return dns1035Label(version).map((text) => invalidValue(field, version, text));
  });
  if (versions.some((version) => REVIEWS.includes(version))) return each;
  return [...each, invalidValue(REVIEW_VERSIONS, versions, `must include at least one of ${REVIEWS.join(', ')}`)];
}
