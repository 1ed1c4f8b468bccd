/**
 * What a Service takes out of the cluster's ranges: an address of each of its families, node ports, and the port on which
 * load balancers ask for its health. Runs when the Service's families are settled and before anything else is judged (upstream's order).
 */
import { invalidShownValue, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/ip-address';
import type { CoreV1Service, CoreV1ServicePort, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { internalError, invalid, type StatusError } from '../../../../shared/api/errors/status';
import { NotAllocatedError, type AllocationClaims, type HeldIds } from '../../../allocation/claims';
import { addressId, portId } from '../../../allocation/pool';
import { needsHealthCheck, portsOf, takesNodePorts } from './carry';
import { isHeadless } from './families';
import type { AllocationRules } from '../../../registry/strategy';

export const serviceAllocation: AllocationRules<CoreV1Service> = { allocate, allocationsOf, field: 'spec.ports' };

function allocate(service: CoreV1Service, old: CoreV1Service | undefined, claims: AllocationClaims): void {
  const spec = service.spec;
  if (spec === undefined) return;
  const before = old?.spec ?? {};
  const name = service.metadata?.name ?? '';
  chooseAddresses(spec, before, claims, name);
  if (old === undefined) choosePortsOfNew(spec, claims, name);
  else choosePortsOfChanged(spec, before, claims, name);
  chooseHealthCheckPort(spec, before, claims, name);
}

/** Those that the old Service had stay, right or wrong: that is judged later. */
function chooseAddresses(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  // A headless Service stays one, whatever addresses a change names: that is judged later.
  if (spec.type === 'ExternalName' || isHeadless(spec) || (before.type !== 'ExternalName' && isHeadless(before))) return;
  const had = before.type === 'ExternalName' ? 0 : (before.clusterIPs ?? []).length;
  const addresses = [...(spec.clusterIPs ?? [])];
  const families = spec.ipFamilies ?? [];
  for (const [index, text] of families.entries()) {
    const given = addresses[index] ?? '';
    if (index < had && given !== '') continue;
    const family: IpFamily = text === 'IPv6' ? 'IPv6' : 'IPv4';
    if (given === '')
      addresses[index] = attempt(
        () => claims.chooseAddress(family),
        (text) => internalError(`failed to allocate a serviceIP: ${text}`),
      );
    else {
      attempt(
        () => claims.claimAddress(family, given),
        (text) => refused(name, invalidValue('spec.clusterIPs', addresses, `failed to allocate IP ${given}: ${text}`)),
      );
    }
  }
  const [first] = addresses;
  if (first === undefined) return;
  spec.clusterIPs = addresses;
  spec.clusterIP = first;
}

/** The ports of one number share a node port, for their protocols: the first that one of them names, else one that is chosen. */
function choosePortsOfNew(spec: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const ports = portsOf(spec);
  const chooses = takesNodePorts(spec);
  const shared = new Map<number, Set<number>>();
  for (const [index, port] of ports.entries()) {
    const number = port.port ?? 0;
    const group = shared.get(number) ?? new Set();
    shared.set(number, group);
    const named = port.nodePort ?? 0;
    const wanted = named !== 0 || !chooses ? named : (firstOf(group) ?? firstNamed(ports, number));
    if (wanted === 0) {
      if (chooses) group.add((port.nodePort = chosenPort(claims)));
      continue;
    }
    if (!group.has(wanted)) claimNodePort(claims, name, index, wanted);
    group.add(wanted);
    port.nodePort = wanted;
  }
}

const firstOf = (group: ReadonlySet<number>): number | undefined => group.values().next().value;

const firstNamed = (ports: readonly CoreV1ServicePort[], number: number): number =>
  ports
    .filter((port) => (port.port ?? 0) === number)
    .map((port) => port.nodePort ?? 0)
    .find((port) => port !== 0) ?? 0;

/** What the Service had it keeps for whichever port and protocol; every port without a node port gets one of its own. */
function choosePortsOfChanged(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const usable = new Set(mayHaveNodePorts(before) ? portsOf(before).map((port) => port.nodePort ?? 0) : []);
  for (const [index, port] of portsOf(spec).entries()) {
    const wanted = port.nodePort ?? 0;
    if (wanted === 0) {
      if (takesNodePorts(spec)) port.nodePort = chosenPort(claims);
    } else if (!usable.has(wanted)) {
      claimNodePort(claims, name, index, wanted);
      usable.add(wanted);
    }
  }
}

function mayHaveNodePorts(spec: CoreV1ServiceSpec): boolean {
  const type = spec.type;
  return type === 'NodePort' || type === 'LoadBalancer';
}

const chosenPort = (claims: AllocationClaims): number =>
  attempt(
    () => claims.choosePort(),
    (text) => internalError(`failed to allocate a nodePort: ${text}`),
  );

function claimNodePort(claims: AllocationClaims, name: string, index: number, port: number): void {
  attempt(
    () => claims.claimPort(port),
    (text) => refused(name, invalidValue(`spec.ports[${index}].nodePort`, port, text)),
  );
}

function chooseHealthCheckPort(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!needsHealthCheck(spec) || (needsHealthCheck(before) && (before.healthCheckNodePort ?? 0) !== 0)) return;
  const wanted = spec.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    spec.healthCheckNodePort = attempt(
      () => claims.choosePort(),
      (text) => internalError(`failed to allocate a HealthCheck NodePort 0: ${text}`),
    );
    return;
  }
  attempt(
    () => claims.claimPort(wanted),
    (text) =>
      refused(
        name,
        invalidShownValue(
          'spec.healthCheckNodePort',
          String(wanted),
          `failed to allocate requested HealthCheck NodePort ${wanted}: ${text}`,
        ),
      ),
  );
}

function allocationsOf(service: CoreV1Service): HeldIds {
  const spec = service.spec ?? {};
  const ids = new Map<string, string[]>();
  if (spec.type === 'ExternalName') return ids;
  for (const address of isHeadless(spec) ? [] : (spec.clusterIPs ?? [])) {
    const id = addressId(address);
    if (id !== undefined) ids.set(id, []);
  }
  for (const port of mayHaveNodePorts(spec) ? portsOf(spec) : []) {
    const number = port.nodePort ?? 0;
    if (number === 0) continue;
    const protocols = ids.get(portId(number)) ?? [];
    protocols.push(port.protocol ?? '');
    ids.set(portId(number), protocols);
  }
  const health = needsHealthCheck(spec) ? (spec.healthCheckNodePort ?? 0) : 0;
  if (health !== 0 && !ids.has(portId(health))) ids.set(portId(health), []);
  return ids;
}

/** What stands among a Service's addresses and is none: nobody can hold it. */
export function unreadableAddresses({ spec = {} }: CoreV1Service): readonly string[] {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return [];
  return (spec.clusterIPs ?? []).filter((address) => addressId(address) === undefined);
}

/** Runs a claim; what it cannot be granted becomes the answer that `refusal` makes of the text. */
function attempt<R>(claim: () => R, refusal: (text: string) => StatusError): R {
  try {
    return claim();
  } catch (error) {
    throw error instanceof NotAllocatedError ? refusal(error.message) : error;
  }
}

function refused(name: string, error: FieldError): StatusError {
  return invalid({ group: '', kind: 'Service' }, name, [error]);
}
