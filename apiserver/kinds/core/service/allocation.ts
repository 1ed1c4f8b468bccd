/**
 * Allocates cluster IPs of each family, node ports and the health check node port of Services. Runs after the IP
 * families are known and before validation (upstream's order).
 */
import { invalidShownValue, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/network/ip-address';
import type { CoreV1Service, CoreV1ServicePort, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { internalError, invalid, type StatusError } from '../../../../shared/api/errors/status';
import { NotAllocatedError, type AllocationClaims, type HeldIds } from '../../../allocation/claims';
import { addressId, portId } from '../../../allocation/pool';
import { needsHealthCheck, portsOf, shouldAllocateNodePorts } from './patch-allocated-values';
import { isHeadless } from './ip-families';
import type { AllocationRules } from '../../../registry/strategy';

export const serviceAllocation: AllocationRules<CoreV1Service> = { allocate, allocationsOf, field: 'spec.ports' };

/**
 * Sets the allocated values in the spec. Throws the response when a requested one cannot be granted or none is
 * available.
 */
function allocate(service: CoreV1Service, old: CoreV1Service | undefined, claims: AllocationClaims): void {
  const spec = service.spec;
  if (spec === undefined) return;
  const before = old?.spec ?? {};
  const name = service.metadata?.name ?? '';
  allocateClusterIps(spec, before, claims, name);
  if (old === undefined) allocateNodePortsOnCreate(spec, claims, name);
  else allocateNodePortsOnUpdate(spec, before, claims, name);
  allocateHealthCheckNodePort(spec, before, claims, name);
}

/** Addresses of the old Service are retained even if they are invalid; validation reports those. */
function allocateClusterIps(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  // Nothing is allocated when the Service is or was headless; validation reports a change.
  if (spec.type === 'ExternalName' || isHeadless(spec) || (before.type !== 'ExternalName' && isHeadless(before))) return;
  const oldCount = before.type === 'ExternalName' ? 0 : (before.clusterIPs ?? []).length;
  const addresses = [...(spec.clusterIPs ?? [])];
  const families = spec.ipFamilies ?? [];
  for (const [index, text] of families.entries()) {
    const requested = addresses[index] ?? '';
    if (index < oldCount && requested !== '') continue;
    const family: IpFamily = text === 'IPv6' ? 'IPv6' : 'IPv4';
    if (requested === '')
      addresses[index] = runClaim(
        () => claims.chooseAddress(family),
        (text) => internalError(`failed to allocate a serviceIP: ${text}`),
      );
    else {
      runClaim(
        () => claims.claimAddress(family, requested),
        (text) => invalidService(name, invalidValue('spec.clusterIPs', addresses, `failed to allocate IP ${requested}: ${text}`)),
      );
    }
  }
  const [first] = addresses;
  if (first === undefined) return;
  spec.clusterIPs = addresses;
  spec.clusterIP = first;
}

/**
 * Entries with the same port number share a node port across protocols: the first requested one, or an allocated one.
 */
function allocateNodePortsOnCreate(spec: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const ports = portsOf(spec);
  const shouldAllocate = shouldAllocateNodePorts(spec);
  const nodePortsByPort = new Map<number, Set<number>>();
  for (const [index, port] of ports.entries()) {
    const requested = port.nodePort ?? 0;
    if (requested === 0 && !shouldAllocate) continue;
    const number = port.port ?? 0;
    const nodePorts = nodePortsByPort.get(number) ?? new Set();
    nodePortsByPort.set(number, nodePorts);
    const shared = requested === 0 ? (firstOf(nodePorts) ?? firstRequestedNodePort(ports, number)) : requested;
    if (shared === undefined) port.nodePort = allocateNodePort(claims);
    else {
      if (!nodePorts.has(shared)) claimNodePort({ index, nodePort: shared }, claims, name);
      port.nodePort = shared;
    }
    nodePorts.add(port.nodePort);
  }
}

const firstOf = (nodePorts: ReadonlySet<number>): number | undefined => nodePorts.values().next().value;

/** The first node port that an entry with the port number requests. */
const firstRequestedNodePort = (ports: readonly CoreV1ServicePort[], number: number): number | undefined =>
  ports
    .filter((port) => (port.port ?? 0) === number)
    .map((port) => port.nodePort ?? 0)
    .find((nodePort) => nodePort !== 0);

/** Node ports of the old Service are retained for any port and protocol; every port without one gets its own. */
function allocateNodePortsOnUpdate(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const retained = new Set(mayHaveNodePorts(before) ? portsOf(before).map((port) => port.nodePort ?? 0) : []);
  for (const [index, port] of portsOf(spec).entries()) {
    const nodePort = port.nodePort ?? 0;
    if (nodePort === 0) {
      if (shouldAllocateNodePorts(spec)) port.nodePort = allocateNodePort(claims);
    } else if (!retained.has(nodePort)) {
      claimNodePort({ index, nodePort }, claims, name);
      retained.add(nodePort);
    }
  }
}

function mayHaveNodePorts(spec: CoreV1ServiceSpec): boolean {
  const type = spec.type;
  return type === 'NodePort' || type === 'LoadBalancer';
}

const allocateNodePort = (claims: AllocationClaims): number =>
  runClaim(
    () => claims.choosePort(),
    (text) => internalError(`failed to allocate a nodePort: ${text}`),
  );

/** The node port that the entry of `spec.ports` at the index requests. */
interface RequestedNodePort {
  readonly index: number;
  readonly nodePort: number;
}

function claimNodePort({ index, nodePort }: RequestedNodePort, claims: AllocationClaims, name: string): void {
  runClaim(
    () => claims.claimPort(nodePort),
    (text) => invalidService(name, invalidValue(`spec.ports[${index}].nodePort`, nodePort, text)),
  );
}

function allocateHealthCheckNodePort(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, claims: AllocationClaims, name: string): void {
  if (!needsHealthCheck(spec) || (needsHealthCheck(before) && (before.healthCheckNodePort ?? 0) !== 0)) return;
  const requested = spec.healthCheckNodePort ?? 0;
  if (requested === 0) {
    spec.healthCheckNodePort = runClaim(
      () => claims.choosePort(),
      (text) => internalError(`failed to allocate a HealthCheck NodePort 0: ${text}`),
    );
    return;
  }
  runClaim(
    () => claims.claimPort(requested),
    (text) =>
      invalidService(
        name,
        invalidShownValue(
          'spec.healthCheckNodePort',
          String(requested),
          `failed to allocate requested HealthCheck NodePort ${requested}: ${text}`,
        ),
      ),
  );
}

/** The addresses and ports that a Service holds, each port with the protocols that use it. */
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
  const healthCheckPort = needsHealthCheck(spec) ? (spec.healthCheckNodePort ?? 0) : 0;
  if (healthCheckPort !== 0 && !ids.has(portId(healthCheckPort))) ids.set(portId(healthCheckPort), []);
  return ids;
}

/** Cluster IPs that are no IP addresses and therefore cannot be allocated. */
export function invalidClusterIps({ spec = {} }: CoreV1Service): readonly string[] {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return [];
  return (spec.clusterIPs ?? []).filter((address) => addressId(address) === undefined);
}

/** Runs a claim. `toStatusError` makes the response when the range cannot grant it. */
function runClaim<R>(claim: () => R, toStatusError: (text: string) => StatusError): R {
  try {
    return claim();
  } catch (error) {
    throw error instanceof NotAllocatedError ? toStatusError(error.message) : error;
  }
}

function invalidService(name: string, error: FieldError): StatusError {
  return invalid({ group: '', kind: 'Service' }, name, [error]);
}
