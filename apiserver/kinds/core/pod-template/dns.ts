/** How a pod finds names: its policy and configuration of DNS, and names of its own for addresses. */
import { invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { checkIp } from '../../rules/addresses';
import { checkFormat, checkRequiredChoice, type Errors } from '../../rules/checks';
import type { CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const LONGEST_SEARCHES = 2048;

export const checkDnsPolicy = (spec: CoreV1PodSpec, place: string, errors: Errors): void =>
  checkRequiredChoice(spec, 'dnsPolicy', place, POLICIES, errors);

export function checkDnsConfig(spec: CoreV1PodSpec, specPlace: string, errors: Errors): void {
  const place = `${specPlace}.dnsConfig`;
  const config = spec.dnsConfig;
  const needsServers = spec.dnsPolicy === 'None';
  if (config === undefined) {
    if (needsServers) errors.push(requiredValue(place, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    return;
  }
  const servers = config.nameservers ?? [];
  if (needsServers && servers.length === 0) {
    errors.push(requiredValue(`${place}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  }
  if (servers.length > MOST_SERVERS) {
    errors.push(invalidValue(`${place}.nameservers`, servers, `must not have more than ${MOST_SERVERS} nameservers`));
  }
  servers.forEach((server, index) => checkIp(server, `${place}.nameservers[${index}]`, errors));
  checkSearches(config.searches ?? [], `${place}.searches`, errors);
  config.options?.forEach((option, index) => {
    if ((option.name ?? '') === '') errors.push(requiredValue(`${place}.options[${index}]`, 'must not be empty'));
  });
}

function checkSearches(searches: readonly string[], field: string, errors: Errors): void {
  if (searches.length > MOST_SEARCHES) {
    errors.push(invalidValue(field, searches, `must not have more than ${MOST_SEARCHES} search paths`));
  }
  if (Buffer.byteLength(searches.join(' ')) > LONGEST_SEARCHES) {
    const text = `must not have more than ${LONGEST_SEARCHES} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, text));
  }
  searches.forEach((search, index) => checkFormat(search.replace(/\.$/, ''), `${field}[${index}]`, checkDnsSubdomain, errors));
}

export function checkHostAliases(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  spec.hostAliases?.forEach((alias, index) => {
    const field = `${place}.hostAliases[${index}]`;
    checkIp(alias.ip ?? '', `${field}.ip`, errors);
    alias.hostnames?.forEach((name, at) => checkFormat(name, `${field}.hostnames[${at}]`, checkDnsSubdomain, errors));
  });
}
