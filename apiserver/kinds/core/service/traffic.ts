/**
 * Validates the load balancer fields, the traffic policies and the health check node port in the spec of Services. The
 * status of load balancers is left to service-status.ts.
 */
import {
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
} from '../../../../shared/api/errors/field-error';
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { stringAt } from '../../../../shared/values/json';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { checkCidr } from '../../rules/addresses';
import { checkEnum, checkFormat, type Errors } from '../../rules/checks';
import { checkPort } from '../../rules/numbers';
import { isExternallyAccessible, needsHealthCheck } from './patch-allocated-values';

const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const POLICIES = ['Cluster', 'Local'];

const isLoadBalancer = ({ type }: CoreV1ServiceSpec): boolean => type === 'LoadBalancer';

/** Validates source ranges and the allocation of node ports. */
export function checkLoadBalancer(service: CoreV1Service, spec: CoreV1ServiceSpec, errors: Errors): void {
  checkSourceRanges(service, spec, errors);
  if (!isLoadBalancer(spec) && spec.allocateLoadBalancerNodePorts !== undefined) {
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER));
  }
}

const SOURCE_RANGES_ANNOTATION = 'service.beta.platform.io/load-balancer-source-ranges';

/** Validates the field; without it, the annotation that preceded it. */
function checkSourceRanges({ metadata }: CoreV1Service, spec: CoreV1ServiceSpec, errors: Errors): void {
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  if (ranges.length > 0) {
    // The capital is upstream's.
    const field = 'spec.LoadBalancerSourceRanges';
    if (!isLoadBalancer(spec)) errors.push(forbiddenField(field, ONLY_LOAD_BALANCER));
    ranges.forEach((range, index) => checkCidr(range.trim(), `${field}[${index}]`, errors));
    return;
  }
  const annotations = metadata?.annotations ?? {};
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === SOURCE_RANGES_ANNOTATION);
  if (name === undefined) return;
  const field = `metadata.annotations[${name}]`;
  if (!isLoadBalancer(spec)) errors.push(forbiddenField(field, ONLY_LOAD_BALANCER));
  const text = (stringAt(annotations, name) ?? '').trim();
  if (text === '') return;
  for (const range of text.split(',')) checkCidr(range.trim(), field, errors);
}

export function checkLoadBalancerClass(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { loadBalancerClass: name } = spec;
  if (name === undefined) return;
  const field = 'spec.loadBalancerClass';
  if (isLoadBalancer(spec)) checkFormat(name, field, checkQualifiedName, errors);
  else errors.push(forbiddenField(field, ONLY_LOAD_BALANCER));
}

/**
 * The class is immutable while the Service stays a load balancer. It is validated with the change and again with the
 * whole object (upstream behaviour).
 */
export function checkLoadBalancerClassUpdate(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, errors: Errors): void {
  const { loadBalancerClass: name } = spec;
  if (isLoadBalancer(spec) && isLoadBalancer(before) && name !== before.loadBalancerClass) {
    errors.push(invalidValue('spec.loadBalancerClass', name ?? 'null', 'may not change once set'));
  }
  checkLoadBalancerClass(spec, errors);
}

/** The port is immutable while the Service keeps needing one. */
export function checkHealthCheckNodePortUpdate(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, errors: Errors): void {
  if (!needsHealthCheck(spec) || !needsHealthCheck(before)) return;
  if ((spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)) {
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
  }
}

/** Validates external and internal traffic policies, and the health check node port. */
export function checkTrafficPolicies(spec: CoreV1ServiceSpec, errors: Errors): void {
  checkExternalPolicy(spec, errors);
  checkHealthCheckNodePort(spec, errors);
  checkInternalPolicy(spec, errors);
  checkEnum(spec, 'trafficDistribution', 'spec', ['PreferClose'], errors);
}

function checkExternalPolicy(spec: CoreV1ServiceSpec, errors: Errors): void {
  const field = 'spec.externalTrafficPolicy';
  const { externalTrafficPolicy: policy = '' } = spec;
  if (!isExternallyAccessible(spec)) {
    if (policy !== '') errors.push(invalidValue(field, policy, 'may only be set for externally-accessible services'));
  } else if (policy === '') errors.push(requiredValue(field));
  else if (!POLICIES.includes(policy)) errors.push(unsupportedValue(field, policy, POLICIES));
}

function checkHealthCheckNodePort(spec: CoreV1ServiceSpec, errors: Errors): void {
  const field = 'spec.healthCheckNodePort';
  const { healthCheckNodePort: number = 0 } = spec;
  if (number === 0) return;
  if (needsHealthCheck(spec)) {
    checkPort(number, field, errors);
    return;
  }
  const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  errors.push(invalidShownValue(field, String(number), text));
}

function checkInternalPolicy(spec: CoreV1ServiceSpec, errors: Errors): void {
  checkEnum(spec, 'internalTrafficPolicy', 'spec', POLICIES, errors);
  if (spec.internalTrafficPolicy === undefined && ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type ?? '')) {
    errors.push(requiredValue('spec.internalTrafficPolicy'));
  }
}
