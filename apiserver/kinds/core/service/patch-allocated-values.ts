/**
 * What an update that says nothing about allocated values keeps of them: addresses, node ports, the port of the health
 * check. Runs before anything is settled, chosen or judged.
 */
import type { CoreV1Service, CoreV1ServicePort, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';

/** Fills in `service` what `old` had, where both are of a type that has it. */
export function patchAllocatedValues(service: CoreV1Service, old: CoreV1Service): void {
  const [spec, before] = [service.spec, old.spec];
  if (spec === undefined || before === undefined) return;
  if (hasClusterIp(spec) && hasClusterIp(before)) patchClusterIps(spec, before);
  if (shouldAllocateNodePorts(spec) && shouldAllocateNodePorts(before)) patchNodePorts(spec, before);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && (spec.healthCheckNodePort ?? 0) === 0)
    spec.healthCheckNodePort = before.healthCheckNodePort ?? 0;
}

const hasClusterIp = (spec: CoreV1ServiceSpec): boolean => spec.type !== 'ExternalName';

/** Every port of such a Service has a node port. */
export function shouldAllocateNodePorts(spec: CoreV1ServiceSpec): boolean {
  const type = spec.type;
  return type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Load balancers ask such a Service's nodes whether they have an endpoint. */
export function needsHealthCheck(spec: CoreV1ServiceSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Traffic from outside the cluster finds a way to it. */
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

/** By the ports' names; a number that another port of the new state keeps is not given again. */
function patchNodePorts(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  const requested = new Set(portsOf(spec).map((port) => port.nodePort ?? 0));
  const byName = new Map(portsOf(before).map((port) => [port.name ?? '', port.nodePort ?? 0]));
  for (const port of portsOf(spec)) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const old = byName.get(port.name ?? '') ?? 0;
    if (old !== 0 && !requested.has(old)) port.nodePort = old;
  }
}
