/** What is worth a warning about a Service that is stored nevertheless, in upstream's order and words. */
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import { parseStrictIpPrefix, parseStrictIpAddress, type StrictParseResult } from '../../../../shared/values/strict-ip-address';
import { quote } from '../../../../shared/values/quote';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { HEADLESS } from './addresses';

export function serviceWarnings(service: CoreV1Service): readonly string[] {
  const spec = service.spec ?? {};
  const isName = spec.type === 'ExternalName';
  const balancer = spec.loadBalancerIP ?? '';
  return [
    ...deprecatedHints(service),
    ...(spec.clusterIPs ?? []).flatMap((address, index) => (address === HEADLESS ? [] : ofAddress(address, `spec.clusterIPs[${index}]`))),
    ...(spec.externalIPs ?? []).flatMap((address, index) => ofAddress(address, `spec.externalIPs[${index}]`)),
    ...(balancer === '' ? [] : ofAddress(balancer, 'spec.loadBalancerIP')),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) => ofRange(range, `spec.loadBalancerSourceRanges[${index}]`)),
    ...(isName && (spec.externalIPs ?? []).length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName && (spec.externalName ?? '') !== '' ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
  ];
}

const HINTS = 'service.platform.io/topology-aware-hints';

function deprecatedHints(service: CoreV1Service): readonly string[] {
  const annotations = service.metadata?.annotations ?? {};
  const found = Object.keys(annotations).find((name) => canonicalQualifiedName(name) === HINTS);
  if (found === undefined) return [];
  return [`annotation ${found} is deprecated, please use ${found.replace('topology-aware-hints', 'topology-mode')} instead`];
}

const ofAddress = (text: string, field: string): readonly string[] =>
  told(parseStrictIpAddress(text), text, field, 'IP address', 'IPv6 address');
const ofRange = (text: string, field: string): readonly string[] =>
  told(parseStrictIpPrefix(text), text, field, 'IP prefix', 'IPv6 prefix');

function told(reading: StrictParseResult, text: string, field: string, what: string, six: string): readonly string[] {
  if ('fault' in reading) return [`${field}: ${what} was accepted, but will be invalid in a future Kubernetes release: ${reading.fault}`];
  if (reading.canonical === text || !text.includes(':')) return [];
  return [
    `${field}: ${six} ${quote(text)} is not in RFC 5952 canonical format (${quote(reading.canonical)}), which may cause controller apply-loops`,
  ];
}
