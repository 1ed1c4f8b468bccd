/**
 * Copies allocated values that an update leaves out (cluster IPs, node ports, the health check node port) from the old
 * Service. Runs before IP families are defaulted, and before allocation and validation.
 */
import type { CoreV1Service, CoreV1ServicePort, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';

/** Copies a value only if the Service needs it both before and after the update. */
export function patchAllocatedValues(service: CoreV1Service, old: CoreV1Service): void {
  const spec = service.spec;
  const before = old.spec;
  if (spec === undefined || before === undefined) return;
  if (hasClusterIp(spec) && hasClusterIp(before)) patchClusterIps(spec, before);
  if (shouldAllocateNodePorts(spec) && shouldAllocateNodePorts(before)) patchNodePorts(spec, before);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec.healthCheckNodePort = before.healthCheckNodePort ?? 0;
  }
}

const hasClusterIp = (spec: CoreV1ServiceSpec): boolean => spec.type !== 'ExternalName';

/** Whether each port gets a node port, if the client requests none. */
export function shouldAllocateNodePorts(spec: CoreV1ServiceSpec): boolean {
  const type = spec.type;
  return type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Whether the load balancer must ask each node, at the health check node port, whether it has endpoints. */
export function needsHealthCheck(spec: CoreV1ServiceSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Whether traffic from outside the cluster can reach the Service. */
export function isExternallyAccessible(spec: CoreV1ServiceSpec): boolean {
  const type = spec.type;
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

export const portsOf = ({ ports }: CoreV1ServiceSpec): readonly CoreV1ServicePort[] => ports ?? [];

function patchClusterIps(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  const old = before.clusterIP ?? '';
  if ((spec.clusterIP ?? '') === '' && old !== '') spec.clusterIP = old;
  if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old && old !== '') spec.clusterIPs = [...(before.clusterIPs ?? [])];
}

/** Matches ports by name, and skips a node port that another port of the new spec requests. */
function patchNodePorts(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  const requested = new Set(portsOf(spec).map((port) => port.nodePort ?? 0));
  const byName = new Map(portsOf(before).map((port) => [port.name ?? '', port.nodePort ?? 0]));
  for (const port of portsOf(spec)) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const old = byName.get(port.name ?? '') ?? 0;
    if (old !== 0 && !requested.has(old)) port.nodePort = old;
  }
}
