/** How traffic from outside comes to a Service: load balancers, policies, the port of their health check, and what a balancer's status may say. */
import { append } from '../../../../shared/values/append';
import {
  forbiddenField,
  invalidAs,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { arrayAt, isObject, type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../../shared/values/json';
import { dnsSubdomain, qualifiedName } from '../../../../shared/values/name-formats';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { ipFamily } from '../../rules/addresses';
import { cidrErrors, ipErrors, numberAt, portNumberErrors } from '../../rules/field-rules';
import { isReachable, needsHealthCheck } from './carry';

const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const POLICIES = ['Cluster', 'Local'];
const MODES = ['Proxy', 'VIP'];

const isBalanced = (spec: JsonObject): boolean => stringAt(spec, 'type') === 'LoadBalancer';

/** Ranges of clients and node ports. */
export function balancerErrors(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const errors = [...rangeErrors(service, spec)];
  if (!isBalanced(spec) && own(spec, 'allocateLoadBalancerNodePorts') !== undefined)
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER));
  return errors;
}

const RANGES = 'service.beta.platform.io/load-balancer-source-ranges';

/** The field, or else the annotation that was there before it. */
function rangeErrors(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const ranges = stringsAt(spec, 'loadBalancerSourceRanges');
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges';
    return [
      ...(isBalanced(spec) ? [] : [forbiddenField(field, ONLY_LOAD_BALANCER)]),
      ...ranges.flatMap((range, index) => cidrErrors(range.trim(), `${field}[${index}]`)),
    ];
  }
  const annotations = objectAt(readMetadata(service), 'annotations') ?? {};
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === RANGES);
  if (name === undefined) return [];
  const field = `metadata.annotations[${name}]`;
  const text = (stringAt(annotations, name) ?? '').trim();
  return [
    ...(isBalanced(spec) ? [] : [forbiddenField(field, ONLY_LOAD_BALANCER)]),
    ...(text === '' ? [] : text.split(',').flatMap((range) => cidrErrors(range.trim(), field))),
  ];
}

export function classErrors(spec: JsonObject): readonly FieldError[] {
  const name = stringAt(spec, 'loadBalancerClass');
  if (name === undefined) return [];
  const field = 'spec.loadBalancerClass';
  if (!isBalanced(spec)) return [forbiddenField(field, ONLY_LOAD_BALANCER)];
  return qualifiedName(name).map((text) => invalidValue(field, name, text));
}

/** A load balancer's class stays, and is judged with the change as well as with the whole (upstream behaviour). */
export function classChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const [name, old] = [stringAt(spec, 'loadBalancerClass'), stringAt(before, 'loadBalancerClass')];
  const isChanged = isBalanced(spec) && isBalanced(before) && name !== old;
  return [...(isChanged ? [invalidValue('spec.loadBalancerClass', name ?? 'null', 'may not change once set')] : []), ...classErrors(spec)];
}

export function healthCheckChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const isChanged =
    needsHealthCheck(spec) && needsHealthCheck(before) && numberAt(spec, 'healthCheckNodePort') !== numberAt(before, 'healthCheckNodePort');
  return isChanged ? [forbiddenField('spec.healthCheckNodePort', 'field is immutable')] : [];
}

/** Policies of traffic from outside and inside, and the health check's port that one of them needs. */
export function trafficErrors(spec: JsonObject): readonly FieldError[] {
  return [...externalPolicyErrors(spec), ...healthCheckErrors(spec), ...internalPolicyErrors(spec), ...distributionErrors(spec)];
}

function externalPolicyErrors(spec: JsonObject): readonly FieldError[] {
  const field = 'spec.externalTrafficPolicy';
  const policy = stringAt(spec, 'externalTrafficPolicy') ?? '';
  if (!isReachable(spec)) return policy === '' ? [] : [invalidValue(field, policy, 'may only be set for externally-accessible services')];
  if (policy === '') return [required(field)];
  return POLICIES.includes(policy) ? [] : [notSupported(field, policy, POLICIES)];
}

function healthCheckErrors(spec: JsonObject): readonly FieldError[] {
  const field = 'spec.healthCheckNodePort';
  const number = numberAt(spec, 'healthCheckNodePort');
  if (number === 0) return [];
  if (needsHealthCheck(spec)) return portNumberErrors(number, field);
  return [invalidAs(field, String(number), "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")];
}

function internalPolicyErrors(spec: JsonObject): readonly FieldError[] {
  const field = 'spec.internalTrafficPolicy';
  const policy = stringAt(spec, 'internalTrafficPolicy');
  if (policy !== undefined) return POLICIES.includes(policy) ? [] : [notSupported(field, policy, POLICIES)];
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type') ?? '') ? [required(field)] : [];
}

function distributionErrors(spec: JsonObject): readonly FieldError[] {
  const distribution = stringAt(spec, 'trafficDistribution');
  if (distribution === undefined || distribution === 'PreferClose') return [];
  return [notSupported('spec.trafficDistribution', distribution, ['PreferClose'])];
}

/** The status that a load balancer's controller writes. */
export function validateServiceStatus(service: JsonObject): readonly FieldError[] {
  const field = 'status.loadBalancer.ingress';
  const ingress = arrayAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress') ?? [];
  if (ingress.length === 0) return [];
  if (!isBalanced(objectAt(service, 'spec') ?? {})) return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.filter(isObject).flatMap((item, index) => ingressErrors(item, `${field}[${index}]`));
}

function ingressErrors(item: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [ip, mode, hostname] = [stringAt(item, 'ip') ?? '', stringAt(item, 'ipMode'), stringAt(item, 'hostname') ?? ''];
  if (ip !== '') append(errors, ipErrors(ip, `${field}.ip`));
  if (ip !== '' && mode === undefined) errors.push(required(`${field}.ipMode`, 'must be specified when `ip` is set'));
  else if (ip === '' && mode !== undefined) errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  else if (mode !== undefined && !MODES.includes(mode)) errors.push(notSupported(`${field}.ipMode`, mode, MODES));
  if (hostname === '') return errors;
  append(
    errors,
    dnsSubdomain(hostname).map((text) => invalidValue(`${field}.hostname`, hostname, text)),
  );
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
