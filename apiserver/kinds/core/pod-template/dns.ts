/**
 * Validates the DNS policy, the DNS configuration and the host aliases of Pods, within the limits of resolvers. The
 * policy None needs a configuration with a name server.
 */
import { invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { checkIp } from '../../rules/addresses';
import { checkFormat, checkRequiredEnum, type Errors } from '../../rules/checks';
import type { CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_NAMESERVERS = 3;
const MAX_SEARCH_PATHS = 32;
const MAX_SEARCH_LIST_LENGTH = 2048;

export const checkDnsPolicy = (spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void =>
  checkRequiredEnum(spec, 'dnsPolicy', fieldPath, POLICIES, errors);

export function checkDnsConfig(spec: CoreV1PodSpec, specPath: string, errors: Errors): void {
  const fieldPath = `${specPath}.dnsConfig`;
  const config = spec.dnsConfig;
  const requiresNameservers = spec.dnsPolicy === 'None';
  if (config === undefined) {
    if (requiresNameservers) errors.push(requiredValue(fieldPath, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    return;
  }
  const servers = config.nameservers ?? [];
  if (requiresNameservers && servers.length === 0) {
    errors.push(requiredValue(`${fieldPath}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  }
  if (servers.length > MAX_NAMESERVERS) {
    errors.push(invalidValue(`${fieldPath}.nameservers`, servers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  servers.forEach((server, index) => checkIp(server, `${fieldPath}.nameservers[${index}]`, errors));
  checkSearches(config.searches ?? [], `${fieldPath}.searches`, errors);
  config.options?.forEach((option, index) => {
    if ((option.name ?? '') === '') errors.push(requiredValue(`${fieldPath}.options[${index}]`, 'must not be empty'));
  });
}

function checkSearches(searches: readonly string[], field: string, errors: Errors): void {
  if (searches.length > MAX_SEARCH_PATHS) {
    errors.push(invalidValue(field, searches, `must not have more than ${MAX_SEARCH_PATHS} search paths`));
  }
  if (Buffer.byteLength(searches.join(' ')) > MAX_SEARCH_LIST_LENGTH) {
    const text = `must not have more than ${MAX_SEARCH_LIST_LENGTH} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, text));
  }
  searches.forEach((search, index) => {
    // A search path may end with the dot of a fully qualified name.
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    checkFormat(name, `${field}[${index}]`, checkDnsSubdomain, errors);
  });
}

export function checkHostAliases(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  spec.hostAliases?.forEach((alias, index) => {
    const field = `${fieldPath}.hostAliases[${index}]`;
    checkIp(alias.ip ?? '', `${field}.ip`, errors);
    alias.hostnames?.forEach((name, position) => checkFormat(name, `${field}.hostnames[${position}]`, checkDnsSubdomain, errors));
  });
}
