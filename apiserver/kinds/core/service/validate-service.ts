/**
 * Validates Services and their updates: the order in which the rules of this folder run, which is upstream's and shows
 * in the causes of an error. Addresses and ports have been chosen by then, and are allocated by the write.
 */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { stringAt } from '../../../../shared/values/json';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { Errors } from '../../rules/checks';
import { checkClusterIpUpdate, checkClusterIpFields, checkExternalIp } from './cluster-ips';
import { isHeadless } from './ip-families';
import { checkPortsPresent, checkServicePorts, checkPortConflicts } from './ports';
import {
  checkLoadBalancer,
  checkLoadBalancerClass,
  checkLoadBalancerClassUpdate,
  checkHealthCheckNodePortUpdate,
  checkTrafficPolicies,
} from './traffic';

const MAX_AFFINITY_SECONDS = 86_400;
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** `old` is the stored object in an update; `undefined` in a create. */
export function validateService(service: CoreV1Service, old: CoreV1Service | undefined): readonly FieldError[] {
  const errors: Errors = [];
  const { spec = {} } = service;
  checkTopologyAnnotations(service, errors);
  checkPortsPresent(spec, errors);
  checkHeadless(spec, errors);
  checkExternalNameService(spec, errors);
  checkExternalNameAllowed(spec, old?.spec, errors);
  checkServicePorts(spec, errors);
  if (spec.selector !== undefined) validateLabels(spec.selector, 'spec.selector', errors);
  checkSessionAffinity(spec, errors);
  spec.externalIPs?.forEach((address, index) => checkExternalIp(address, `spec.externalIPs[${index}]`, errors));
  const { type = '' } = spec;
  if (!TYPES.includes(type)) errors.push(unsupportedValue('spec.type', type, TYPES));
  checkPortConflicts(spec, errors);
  checkLoadBalancer(service, spec, errors);
  checkLoadBalancerClass(spec, errors);
  checkTrafficPolicies(spec, errors);
  return errors;
}

/** The rules of updates in addition to those of {@link validateService}. */
export function validateServiceUpdate({ spec = {} }: CoreV1Service, { spec: before = {} }: CoreV1Service): readonly FieldError[] {
  const errors: Errors = [];
  checkClusterIpUpdate(spec, before, errors);
  checkLoadBalancerClassUpdate(spec, before, errors);
  checkHealthCheckNodePortUpdate(spec, before, errors);
  return errors;
}

/** Both annotations set the same; the one named hints is deprecated. */
function checkTopologyAnnotations({ metadata }: CoreV1Service, errors: Errors): void {
  const annotations = metadata?.annotations ?? {};
  const findName = (canonical: string): string | undefined =>
    Object.keys(annotations).find((name) => canonicalQualifiedName(name) === canonical);
  const mode = findName('service.platform.io/topology-mode');
  const hints = findName('service.platform.io/topology-aware-hints');
  if (mode === undefined || hints === undefined) return;
  const value = stringAt(annotations, mode) ?? '';
  if (value === stringAt(annotations, hints)) return;
  errors.push(invalidValue(`metadata.annotations[${mode}]`, value, `must match annotations[${hints}] when both are specified`));
}

function checkHeadless(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { type } = spec;
  if (!isHeadless(spec) || (type !== 'LoadBalancer' && type !== 'NodePort')) return;
  errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
}

/** Requires an external name and no cluster IPs. Cluster IPs of other types were validated before allocation. */
function checkExternalNameService(spec: CoreV1ServiceSpec, errors: Errors): void {
  if (spec.type !== 'ExternalName') return;
  checkClusterIpFields(spec, errors);
  const field = 'spec.externalName';
  const { externalName = '' } = spec;
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  if (name === '') errors.push(requiredValue(field));
  else for (const text of checkDnsSubdomain(name)) errors.push(invalidValue(field, externalName, text));
}

/**
 * The API documentation allows `externalName` only for type ExternalName. Upstream's server accepts it for any type,
 * so a stored name may stay, even when the type changes.
 */
function checkExternalNameAllowed(
  { type, externalName = '' }: CoreV1ServiceSpec,
  before: CoreV1ServiceSpec | undefined,
  errors: Errors,
): void {
  if (type === 'ExternalName' || externalName === '' || externalName === before?.externalName) return;
  errors.push(forbiddenField('spec.externalName', "may only be used when `type` is 'ExternalName'"));
}

function checkSessionAffinity({ sessionAffinity: affinity = '', sessionAffinityConfig }: CoreV1ServiceSpec, errors: Errors): void {
  if (affinity === '') errors.push(requiredValue('spec.sessionAffinity'));
  else if (affinity !== 'ClientIP' && affinity !== 'None') {
    errors.push(unsupportedValue('spec.sessionAffinity', affinity, ['ClientIP', 'None']));
  }
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (affinity !== 'ClientIP' || timeout === undefined) return;
  if (timeout >= 1 && timeout <= MAX_AFFINITY_SECONDS) return;
  // A day is valid, despite the message (upstream behaviour).
  errors.push(invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', timeout, 'must be greater than 0 and less than 86400'));
}
