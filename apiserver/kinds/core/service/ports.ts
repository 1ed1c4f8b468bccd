/**
 * Validates the ports of Services: names, numbers and protocols are valid and no two ports conflict. Allocating node
 * ports is left to apiserver/allocation.
 */
import { duplicateValue, forbiddenField, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import type { CoreV1ServicePort, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { checkDnsLabel, checkPortName, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkFormat, checkIfPresent, checkRequiredEnum, type Errors } from '../../rules/checks';
import { checkPort, PROTOCOLS } from '../../rules/numbers';
import { portsOf } from './patch-allocated-values';
import { isHeadless } from './ip-families';

const KUBELET_PORT = 10_250;

/**
 * Ports are required except for headless and ExternalName Services, and load balancers must not expose the kubelet's
 * port.
 */
export function checkPortsPresent(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { type } = spec;
  const ports = portsOf(spec);
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(requiredValue('spec.ports'));
  if (type !== 'LoadBalancer') return;
  const text = 'may not expose port 10250 externally since it is used by kubelet';
  ports.forEach(({ port }, index) => {
    if (port === KUBELET_PORT) errors.push(invalidValue(`spec.ports[${index}]`, KUBELET_PORT, text));
  });
}

export function checkServicePorts(spec: CoreV1ServiceSpec, errors: Errors): void {
  const ports = portsOf(spec);
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const field = `spec.ports[${index}]`;
    const name = port.name ?? '';
    // The only port of a Service needs no name.
    if (ports.length > 1 || name !== '') checkName(name, `${field}.name`, names, errors);
    checkServicePort(port, field, errors);
  });
}

/** `used`: the names of earlier ports; this one is added. */
function checkName(name: string, field: string, used: Set<string>, errors: Errors): void {
  if (name === '') {
    errors.push(requiredValue(field));
    return;
  }
  checkFormat(name, field, checkDnsLabel, errors);
  if (used.has(name)) errors.push(duplicateValue(field, name));
  used.add(name);
}

function checkServicePort(port: CoreV1ServicePort, field: string, errors: Errors): void {
  checkPort(port.port ?? 0, `${field}.port`, errors);
  checkRequiredEnum(port, 'protocol', field, PROTOCOLS, errors);
  const { targetPort: target = 0 } = port;
  if (typeof target === 'string') checkFormat(target, `${field}.targetPort`, checkPortName, errors);
  else checkPort(target, `${field}.targetPort`, errors);
  checkIfPresent(port, 'appProtocol', field, errors, checkQualifiedName);
}

/** Rejects node ports of ClusterIP Services and duplicates of protocol and number. */
export function checkPortConflicts(spec: CoreV1ServiceSpec, errors: Errors): void {
  const ports = portsOf(spec);
  if (spec.type === 'ClusterIP') {
    ports.forEach(({ nodePort = 0 }, index) => {
      if (nodePort !== 0) errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  checkDuplicateNodePorts(ports, errors);
  checkDuplicatePorts(ports, errors);
}

function checkDuplicateNodePorts(ports: readonly CoreV1ServicePort[], errors: Errors): void {
  const seen = new Set<string>();
  ports.forEach(({ nodePort = 0, protocol = '' }, index) => {
    if (nodePort === 0) return;
    const key = `${protocol}/${nodePort}`;
    if (seen.has(key)) errors.push(duplicateValue(`spec.ports[${index}].nodePort`, nodePort));
    seen.add(key);
  });
}

function checkDuplicatePorts(ports: readonly CoreV1ServicePort[], errors: Errors): void {
  const seen = new Set<string>();
  ports.forEach(({ port = 0, protocol = '' }, index) => {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) errors.push(duplicateValue(`spec.ports[${index}]`, { protocol, port }));
    seen.add(key);
  });
}
