/** What the ports of a Service may look like (behaviour-reference §5.4). Which node ports are free is not looked at here. */
import { append } from '../../../../shared/values/append';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { dnsLabel, portName, qualifiedName } from '../../../../shared/values/name-formats';
import { numberAt, portNumberErrors, PROTOCOLS } from '../../rules/field-rules';
import { portsOf } from './carry';
import { isHeadless } from './families';

const KUBELET_PORT = 10_250;

/** Whether there may be none, and which numbers no load balancer may open. */
export function portListErrors(spec: JsonObject): readonly FieldError[] {
  const type = stringAt(spec, 'type');
  const ports = portsOf(spec);
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') return [required('spec.ports')];
  if (type !== 'LoadBalancer') return [];
  const text = 'may not expose port 10250 externally since it is used by kubelet';
  return ports.flatMap((port, index) =>
    numberAt(port, 'port') === KUBELET_PORT ? [invalidValue(`spec.ports[${index}]`, KUBELET_PORT, text)] : [],
  );
}

/** Each port by itself. */
export function portErrors(spec: JsonObject): readonly FieldError[] {
  const ports = portsOf(spec);
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    return [...nameErrors(port, `${field}.name`, ports.length > 1, names), ...partErrors(port, field)];
  });
}

function nameErrors(port: JsonObject, field: string, isWanted: boolean, taken: Set<string>): readonly FieldError[] {
  const name = stringAt(port, 'name') ?? '';
  if (name === '') return isWanted ? [required(field)] : [];
  const errors = dnsLabel(name).map((text) => invalidValue(field, name, text));
  if (taken.has(name)) errors.push(duplicate(field, name));
  taken.add(name);
  return errors;
}

function partErrors(port: JsonObject, field: string): readonly FieldError[] {
  const errors = [...portNumberErrors(numberAt(port, 'port'), `${field}.port`)];
  const protocol = stringAt(port, 'protocol') ?? '';
  if (protocol === '') errors.push(required(`${field}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  const target = stringAt(port, 'targetPort') ?? numberAt(port, 'targetPort');
  if (typeof target === 'string')
    append(
      errors,
      portName(target).map((text) => invalidValue(`${field}.targetPort`, target, text)),
    );
  else append(errors, portNumberErrors(target, `${field}.targetPort`));
  const application = stringAt(port, 'appProtocol');
  if (application !== undefined)
    append(
      errors,
      qualifiedName(application).map((text) => invalidValue(`${field}.appProtocol`, application, text)),
    );
  return errors;
}

/** What ports may not say together: node ports where there are none, and the same number twice for a protocol. */
export function portSetErrors(spec: JsonObject): readonly FieldError[] {
  const ports = portsOf(spec);
  const misplaced =
    stringAt(spec, 'type') !== 'ClusterIP'
      ? []
      : ports.flatMap((port, index) =>
          numberAt(port, 'nodePort') === 0
            ? []
            : [forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
        );
  return [...misplaced, ...repeatedNodePorts(ports), ...repeatedPorts(ports)];
}

const protocolOf = (port: JsonObject): string => stringAt(port, 'protocol') ?? '';

function repeatedNodePorts(ports: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const number = numberAt(port, 'nodePort');
    if (number === 0) return [];
    const key = `${protocolOf(port)}/${number}`;
    if (seen.has(key)) return [duplicate(`spec.ports[${index}].nodePort`, number)];
    seen.add(key);
    return [];
  });
}

function repeatedPorts(ports: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [protocol, number] = [protocolOf(port), numberAt(port, 'port')];
    const key = `${protocol}/${number}`;
    if (seen.has(key)) return [duplicate(`spec.ports[${index}]`, { protocol, port: number })];
    seen.add(key);
    return [];
  });
}
