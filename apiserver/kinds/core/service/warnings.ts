/**
 * Warnings about Services, in upstream's order and words: ignored fields, a deprecated annotation, and addresses in a
 * form that later releases reject. Rejects nothing.
 */
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { parseStrictIpPrefix, parseStrictIpAddress, type StrictParseResult } from '../../../../shared/values/network/strict-ip-address';
import { quote } from '../../../../shared/values/text/quote';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { CLUSTER_IP_NONE } from './cluster-ips';

export function serviceWarnings(service: CoreV1Service): readonly string[] {
  const spec = service.spec ?? {};
  const { clusterIPs = [], externalIPs = [], loadBalancerIP = '', loadBalancerSourceRanges = [] } = spec;
  return [
    ...topologyHintsWarnings(service),
    ...clusterIPs.flatMap((address, index) => (address === CLUSTER_IP_NONE ? [] : addressWarnings(address, `spec.clusterIPs[${index}]`))),
    ...externalIPs.flatMap((address, index) => addressWarnings(address, `spec.externalIPs[${index}]`)),
    ...(loadBalancerIP === '' ? [] : addressWarnings(loadBalancerIP, 'spec.loadBalancerIP')),
    ...loadBalancerSourceRanges.flatMap((range, index) => prefixWarnings(range, `spec.loadBalancerSourceRanges[${index}]`)),
    ...ignoredFieldWarnings(spec),
  ];
}

function ignoredFieldWarnings({ type, externalIPs = [], externalName = '' }: CoreV1ServiceSpec): readonly string[] {
  if (type === 'ExternalName') return externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored when spec.type is "ExternalName"'];
  return externalName === '' ? [] : ['spec.externalName is ignored when spec.type is not "ExternalName"'];
}

/** The canonical name of the deprecated annotation. */
const HINTS = 'service.platform.io/topology-aware-hints';

function topologyHintsWarnings(service: CoreV1Service): readonly string[] {
  const annotations = service.metadata?.annotations ?? {};
  const annotation = Object.keys(annotations).find((name) => canonicalQualifiedName(name) === HINTS);
  if (annotation === undefined) return [];
  return [`annotation ${annotation} is deprecated, please use ${annotation.replace('topology-aware-hints', 'topology-mode')} instead`];
}

const addressWarnings = (text: string, field: string): readonly string[] =>
  parseWarnings(parseStrictIpAddress(text), text, field, 'address');
const prefixWarnings = (text: string, field: string): readonly string[] => parseWarnings(parseStrictIpPrefix(text), text, field, 'prefix');

/** `result` is that of the strict parser of `text`. */
function parseWarnings(result: StrictParseResult, text: string, field: string, type: 'address' | 'prefix'): readonly string[] {
  if ('error' in result) return [`${field}: IP ${type} was accepted, but will be invalid in a future Kubernetes release: ${result.error}`];
  if (result.canonical === text || !text.includes(':')) return [];
  return [
    `${field}: IPv6 ${type} ${quote(text)} is not in RFC 5952 canonical format (${quote(result.canonical)}), which may cause controller apply-loops`,
  ];
}
