/** What a Service may look like (behaviour-reference §5.4), in upstream's order. */
import {
  duplicate,
  forbiddenField,
  invalidAs,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../../shared/api/field-error';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { dnsLabel, dnsSubdomain, portName, qualifiedName } from '../../../shared/api/names';
import { readMetadata, stringsAt } from '../../../shared/api/object-meta';
import { validateLabels } from '../../../shared/api/validation/object-meta';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { cidrErrors, ipErrors, ipFamily } from './addresses';
import { clusterAddressChanges, clusterAddressErrors, externalAddressErrors } from './service-addresses';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const NO_PORT = 'must be between 1 and 65535, inclusive';
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const KUBELET_PORT = 10_250;

export function validateService(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  // Upstream settles families and addresses before anything else, and says nothing else when they are wrong.
  const addresses = clusterAddressErrors(spec);
  const type = stringAt(spec, 'type') ?? '';
  if (addresses.length > 0 && type !== 'ExternalName') return addresses;
  const errors: FieldError[] = [...hintErrors(object)];
  const headless = stringAt(spec, 'clusterIP') === 'None';
  const ports = (arrayAt(spec, 'ports') ?? []).filter(isObject);
  if (ports.length === 0 && !headless && type !== 'ExternalName') errors.push(required('spec.ports'));
  if (type === 'LoadBalancer') {
    ports.forEach((port, index) => {
      if (own(port, 'port') !== KUBELET_PORT) return;
      const text = 'may not expose port 10250 externally since it is used by kubelet';
      errors.push(invalidValue(`spec.ports[${index}]`, KUBELET_PORT, text));
    });
  }
  if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  if (type === 'ExternalName') errors.push(...addresses, ...externalNameErrors(stringAt(spec, 'externalName') ?? ''));
  ports.forEach((port, index) => errors.push(...portErrors(port, `spec.ports[${index}]`, ports, index)));
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined) validateLabels(selector, 'spec.selector', errors);
  errors.push(...affinityErrors(spec));
  stringsAt(spec, 'externalIPs').forEach((address, index) => errors.push(...externalAddressErrors(address, `spec.externalIPs[${index}]`)));
  if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  if (type === 'ClusterIP') {
    ports.forEach((port, index) => {
      if (numberAt(port, 'nodePort') !== 0) {
        errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
    });
  }
  return [...errors, ...repeatedPorts(ports), ...loadBalancerErrors(object, spec, type), ...trafficErrors(spec, type)];
}

function hintErrors(object: JsonObject): readonly FieldError[] {
  const annotations = objectAt(readMetadata(object), 'annotations') ?? {};
  const named = (canonical: string): readonly [name: string, value: string] | undefined => {
    for (const name of Object.keys(annotations))
      if (canonicalQualifiedName(name) === canonical) return [name, stringAt(annotations, name) ?? ''];
    return undefined;
  };
  const mode = named('service.platform.io/topology-mode');
  const hints = named('service.platform.io/topology-aware-hints');
  if (mode === undefined || hints === undefined || mode[1] === hints[1]) return [];
  return [invalidValue(`metadata.annotations[${mode[0]}]`, mode[1], `must match annotations[${hints[0]}] when both are specified`)];
}

function externalNameErrors(name: string): readonly FieldError[] {
  if (name === '') return [required('spec.externalName')];
  return dnsSubdomain(name.endsWith('.') ? name.slice(0, -1) : name).map((text) => invalidValue('spec.externalName', name, text));
}

const isPort = (value: number): boolean => value >= 1 && value <= 65_535;

/** A number member; absent = 0. */
function numberAt(object: JsonObject, member: string): number {
  const value = own(object, member);
  return typeof value === 'number' ? value : 0;
}

function portErrors(port: JsonObject, field: string, all: readonly JsonObject[], index: number): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = stringAt(port, 'name') ?? '';
  if (name === '') {
    if (all.length > 1) errors.push(required(`${field}.name`));
  } else {
    for (const text of dnsLabel(name)) errors.push(invalidValue(`${field}.name`, name, text));
    if (all.slice(0, index).some((other) => stringAt(other, 'name') === name)) errors.push(duplicate(`${field}.name`, name));
  }
  const number = numberAt(port, 'port');
  if (!isPort(number)) errors.push(invalidAs(`${field}.port`, String(number), NO_PORT));
  const protocol = stringAt(port, 'protocol') ?? '';
  if (protocol === '') errors.push(required(`${field}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  const target = stringAt(port, 'targetPort') ?? numberAt(port, 'targetPort');
  if (typeof target === 'string') for (const text of portName(target)) errors.push(invalidValue(`${field}.targetPort`, target, text));
  else if (!isPort(target)) errors.push(invalidAs(`${field}.targetPort`, String(target), NO_PORT));
  const appProtocol = stringAt(port, 'appProtocol');
  if (appProtocol !== undefined)
    for (const text of qualifiedName(appProtocol)) errors.push(invalidValue(`${field}.appProtocol`, appProtocol, text));
  return errors;
}

function repeatedPorts(ports: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [protocol, number] = [stringAt(port, 'protocol') ?? '', numberAt(port, 'port')];
    const key = `${protocol}/${number}`;
    const again = seen.has(key);
    seen.add(key);
    return again ? [duplicate(`spec.ports[${index}]`, { protocol, port: number })] : [];
  });
}

function affinityErrors(spec: JsonObject): readonly FieldError[] {
  const affinity = stringAt(spec, 'sessionAffinity') ?? '';
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (affinity !== 'ClientIP' && affinity !== 'None') return [notSupported('spec.sessionAffinity', affinity, ['ClientIP', 'None'])];
  if (affinity === 'None') return [];
  const timeout = own(objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP') ?? {}, 'timeoutSeconds');
  if (typeof timeout !== 'number' || (timeout >= 1 && timeout <= 86_400)) return [];
  return [invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', timeout, 'must be greater than 0 and less than 86400')];
}

function loadBalancerErrors(object: JsonObject, spec: JsonObject, type: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const ranges = stringsAt(spec, 'loadBalancerSourceRanges');
  const annotations = objectAt(readMetadata(object), 'annotations') ?? {};
  const annotation = Object.keys(annotations).find(
    (name) => canonicalQualifiedName(name) === 'service.beta.platform.io/load-balancer-source-ranges',
  );
  const field = 'spec.LoadBalancerSourceRanges';
  if (type !== 'LoadBalancer') {
    if (ranges.length > 0) errors.push(forbiddenField(field, ONLY_LOAD_BALANCER));
    else if (annotation !== undefined) errors.push(forbiddenField(`metadata.annotations[${annotation}]`, ONLY_LOAD_BALANCER));
  }
  ranges.forEach((range, index) => errors.push(...cidrErrors(range.trim(), `${field}[${index}]`)));
  const refuse = (member: string): void => {
    if (own(spec, member) !== undefined) errors.push(forbiddenField(`spec.${member}`, ONLY_LOAD_BALANCER));
  };
  if (type !== 'LoadBalancer') {
    refuse('allocateLoadBalancerNodePorts');
    refuse('loadBalancerClass');
    return errors;
  }
  const kind = stringAt(spec, 'loadBalancerClass');
  if (kind !== undefined) for (const text of qualifiedName(kind)) errors.push(invalidValue('spec.loadBalancerClass', kind, text));
  return errors;
}

const POLICIES = ['Cluster', 'Local'];

function trafficErrors(spec: JsonObject, type: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const external = stringAt(spec, 'externalTrafficPolicy') ?? '';
  const reachable = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && stringsAt(spec, 'externalIPs').length > 0);
  if (!reachable) {
    if (external !== '')
      errors.push(invalidValue('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services'));
  } else if (external === '') errors.push(required('spec.externalTrafficPolicy'));
  else if (!POLICIES.includes(external)) errors.push(notSupported('spec.externalTrafficPolicy', external, POLICIES));
  const health = numberAt(spec, 'healthCheckNodePort');
  if (health !== 0 && !(type === 'LoadBalancer' && external === 'Local')) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidAs('spec.healthCheckNodePort', String(health), text));
  }
  const internal = stringAt(spec, 'internalTrafficPolicy');
  if (internal === undefined) {
    if (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') errors.push(required('spec.internalTrafficPolicy'));
  } else if (!POLICIES.includes(internal)) errors.push(notSupported('spec.internalTrafficPolicy', internal, POLICIES));
  const distribution = stringAt(spec, 'trafficDistribution');
  if (distribution !== undefined && distribution !== 'PreferClose') {
    errors.push(notSupported('spec.trafficDistribution', distribution, ['PreferClose']));
  }
  return errors;
}

export function validateServiceChange(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  const errors = [...clusterAddressChanges(spec, before)];
  const [kind, oldKind] = [stringAt(spec, 'loadBalancerClass'), stringAt(before, 'loadBalancerClass')];
  if (stringAt(spec, 'type') === 'LoadBalancer' && stringAt(before, 'type') === 'LoadBalancer' && kind !== oldKind) {
    errors.push(invalidValue('spec.loadBalancerClass', kind ?? '', 'may not change once set'));
  }
  return errors;
}

export function validateServiceStatus(object: JsonObject): readonly FieldError[] {
  const field = 'status.loadBalancer.ingress';
  const ingress = arrayAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress') ?? [];
  if (ingress.length === 0) return [];
  if (stringAt(objectAt(object, 'spec') ?? {}, 'type') !== 'LoadBalancer') {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.filter(isObject).flatMap((item, index) => ingressErrors(item, `${field}[${index}]`));
}

function ingressErrors(item: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [ip, mode, hostname] = [stringAt(item, 'ip') ?? '', stringAt(item, 'ipMode'), stringAt(item, 'hostname') ?? ''];
  if (ip !== '') errors.push(...ipErrors(ip, `${field}.ip`));
  if (ip !== '' && mode === undefined) errors.push(required(`${field}.ipMode`, 'must be specified when `ip` is set'));
  else if (ip === '' && mode !== undefined) errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  else if (mode !== undefined && mode !== 'VIP' && mode !== 'Proxy') errors.push(notSupported(`${field}.ipMode`, mode, ['Proxy', 'VIP']));
  if (hostname === '') return errors;
  for (const text of dnsSubdomain(hostname)) errors.push(invalidValue(`${field}.hostname`, hostname, text));
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
