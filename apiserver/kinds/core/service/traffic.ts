/**
 * Validates load balancer fields, traffic policies and the health check node port of Services, and status updates of
 * load balancers.
 */
import {
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import type {
  CoreV1LoadBalancerIngress,
  CoreV1PortStatus,
  CoreV1Service,
  CoreV1ServiceSpec,
} from '../../../../shared/api/types/generated/members';
import { conditionsErrors, setTransitionTimes } from '../../../../shared/api/metadata/conditions';
import { appendAll } from '../../../../shared/values/append';
import { equalJson, stringAt } from '../../../../shared/values/json';
import { checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { checkCidr, checkIp, ipFamily } from '../../rules/addresses';
import { checkEnum, checkFormat, checkIfPresent, checkRequiredEnum, type Errors } from '../../rules/checks';
import { checkPort, PROTOCOLS } from '../../rules/numbers';
import { isExternallyAccessible, needsHealthCheck } from './patch-allocated-values';

const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const POLICIES = ['Cluster', 'Local'];
const IP_MODES = ['Proxy', 'VIP'];

const isLoadBalancer = ({ type }: CoreV1ServiceSpec): boolean => type === 'LoadBalancer';

/** Validates source ranges and the allocation of node ports. */
export function checkLoadBalancer(service: CoreV1Service, spec: CoreV1ServiceSpec, errors: Errors): void {
  checkSourceRanges(service, spec, errors);
  if (!isLoadBalancer(spec) && spec.allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER));
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
  if (text !== '') for (const range of text.split(',')) checkCidr(range.trim(), field, errors);
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
  if (isLoadBalancer(spec) && isLoadBalancer(before) && name !== before.loadBalancerClass)
    errors.push(invalidValue('spec.loadBalancerClass', name ?? 'null', 'may not change once set'));
  checkLoadBalancerClass(spec, errors);
}

/** The port is immutable while the Service keeps needing one. */
export function checkHealthCheckNodePortUpdate(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, errors: Errors): void {
  if (!needsHealthCheck(spec) || !needsHealthCheck(before)) return;
  if ((spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0))
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
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
  if (needsHealthCheck(spec)) checkPort(number, field, errors);
  else
    errors.push(
      invalidShownValue(field, String(number), "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    );
}

function checkInternalPolicy(spec: CoreV1ServiceSpec, errors: Errors): void {
  checkEnum(spec, 'internalTrafficPolicy', 'spec', POLICIES, errors);
  if (spec.internalTrafficPolicy === undefined && ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type ?? ''))
    errors.push(requiredValue('spec.internalTrafficPolicy'));
}

/**
 * Sets the missing transition times of changed conditions. Upstream's server accepts conditions without a time, so its
 * clients may send them. `now` in milliseconds since 1970.
 */
export function setConditionTimes({ status }: CoreV1Service, { status: before }: CoreV1Service, now: number): void {
  if (!equalJson(status?.conditions, before?.conditions)) setTransitionTimes(status?.conditions ?? [], before?.conditions ?? [], now);
}

/**
 * Validates the status that a load balancer controller writes. Conditions and ports must follow the documentation of
 * their fields, such as the format of a condition's reason. Upstream's server does not check them, so stored values
 * stay valid until they change.
 */
export function validateServiceStatus({ spec = {}, status }: CoreV1Service, { status: before }: CoreV1Service): readonly FieldError[] {
  const errors: Errors = [];
  const field = 'status.loadBalancer.ingress';
  if (status !== undefined && !equalJson(status.conditions, before?.conditions))
    appendAll(errors, conditionsErrors(status, 'status.conditions'));
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return errors;
  const known = before?.loadBalancer?.ingress ?? [];
  ingress.forEach(({ ports = [] }, index) => {
    if (!known.some((old) => equalJson(old.ports, ports))) checkPortStatuses(ports, `${field}[${index}].ports`, errors);
  });
  if (isLoadBalancer(spec)) ingress.forEach((item, index) => checkIngress(item, `${field}[${index}]`, errors));
  else errors.push(forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'"));
  return errors;
}

function checkPortStatuses(ports: readonly CoreV1PortStatus[], path: string, errors: Errors): void {
  ports.forEach((item, index) => {
    const field = `${path}[${index}]`;
    checkPort(item.port ?? 0, `${field}.port`, errors);
    checkRequiredEnum(item, 'protocol', field, PROTOCOLS, errors);
    checkIfPresent(item, 'error', field, errors, checkQualifiedName);
  });
}

function checkIngress(item: CoreV1LoadBalancerIngress, field: string, errors: Errors): void {
  const { ip = '', ipMode: mode, hostname = '' } = item;
  if (ip !== '') checkIp(ip, `${field}.ip`, errors);
  if (ip !== '' && mode === undefined) errors.push(requiredValue(`${field}.ipMode`, 'must be specified when `ip` is set'));
  else if (ip === '' && mode !== undefined) errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  else checkEnum(item, 'ipMode', field, IP_MODES, errors);
  if (hostname === '') return;
  checkFormat(hostname, `${field}.hostname`, checkDnsSubdomain, errors);
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address'));
}
