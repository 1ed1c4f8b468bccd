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
  const wasHeadless = before.type !== 'ExternalName' && isHeadless(before);
  if (spec.type === 'ExternalName' || isHeadless(spec) || wasHeadless) return;
  const oldCount = before.type === 'ExternalName' ? 0 : (before.clusterIPs ?? []).length;
  const addresses = [...(spec.clusterIPs ?? [])];
  for (const [index, familyName] of (spec.ipFamilies ?? []).entries()) {
    const requested = addresses[index] ?? '';
    const isRetained = index < oldCount && requested !== '';
    if (isRetained) continue;
    const family: IpFamily = familyName === 'IPv6' ? 'IPv6' : 'IPv4';
    if (requested === '') addresses[index] = chooseClusterIp(family, claims);
    else claimClusterIp({ family, requested, addresses }, claims, name);
  }
  const [first] = addresses;
  if (first === undefined) return;
  spec.clusterIPs = addresses;
  spec.clusterIP = first;
}

const chooseClusterIp = (family: IpFamily, claims: AllocationClaims): string =>
  runClaim(
    () => claims.chooseAddress(family),
    (text) => internalError(`failed to allocate a serviceIP: ${text}`),
  );

/** A requested address, and all addresses of the Service, which the error shows. */
interface RequestedClusterIp {
  readonly family: IpFamily;
  readonly requested: string;
  readonly addresses: readonly string[];
}

function claimClusterIp({ family, requested, addresses }: RequestedClusterIp, claims: AllocationClaims, name: string): void {
  runClaim(
    () => claims.claimAddress(family, requested),
    (text) => invalidService(name, invalidValue('spec.clusterIPs', addresses, `failed to allocate IP ${requested}: ${text}`)),
  );
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
    /** The node ports that this Service holds for the port number. */
    const nodePorts = nodePortsByPort.get(number) ?? new Set();
    nodePortsByPort.set(number, nodePorts);
    const nodePort = requested === 0 ? (firstOf(nodePorts) ?? firstRequestedNodePort(ports, number)) : requested;
    if (nodePort !== undefined && !nodePorts.has(nodePort)) claimNodePort({ index, nodePort }, claims, name);
    port.nodePort = nodePort ?? allocateNodePort(claims);
    nodePorts.add(port.nodePort);
  }
}

/** `undefined` for an empty set. */
const firstOf = (nodePorts: ReadonlySet<number>): number | undefined => nodePorts.values().next().value;

/** The first node port that an entry with the port number requests; `undefined` when none does. */
const firstRequestedNodePort = (ports: readonly CoreV1ServicePort[], number: number): number | undefined =>
  ports.find(({ port = 0, nodePort = 0 }) => port === number && nodePort !== 0)?.nodePort;

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
  const isRetained = needsHealthCheck(before) && (before.healthCheckNodePort ?? 0) !== 0;
  if (!needsHealthCheck(spec) || isRetained) return;
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
    (text) => {
      const detail = `failed to allocate requested HealthCheck NodePort ${requested}: ${text}`;
      return invalidService(name, invalidShownValue('spec.healthCheckNodePort', String(requested), detail));
    },
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
