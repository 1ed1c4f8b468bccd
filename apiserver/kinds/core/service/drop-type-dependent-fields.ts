/**
 * Drops fields that the Service's type or policy no longer needs, if the client left them unchanged. Changed ones are
 * left for validation to reject.
 */
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { equalJson } from '../../../../shared/values/json';
import type { AnyMemberOf } from '../../rules/checks';
import { isExternallyAccessible, needsHealthCheck, portsOf } from './patch-allocated-values';

/** Members of the spec that Services of some types or policies need. */
interface TypeDependentFields {
  /** Whether a Service with this spec needs the members. */
  readonly isNeededBy: (spec: CoreV1ServiceSpec) => boolean;
  readonly members: readonly AnyMemberOf<CoreV1ServiceSpec>[];
}

const isType =
  (...types: readonly string[]) =>
  (spec: CoreV1ServiceSpec): boolean =>
    types.includes(spec.type ?? '');
const isExternalName = isType('ExternalName');
const isLoadBalancer = isType('LoadBalancer');
const hasNodePorts = isType('NodePort', 'LoadBalancer');

const TYPE_DEPENDENT_FIELDS: readonly TypeDependentFields[] = [
  { isNeededBy: (spec) => !isExternalName(spec), members: ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] },
  { isNeededBy: needsHealthCheck, members: ['healthCheckNodePort'] },
  { isNeededBy: isLoadBalancer, members: ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] },
  { isNeededBy: isExternallyAccessible, members: ['externalTrafficPolicy'] },
];

/** Changes `service` in place. Also resets the status of every Service that is no load balancer. */
export function dropTypeDependentFields(service: CoreV1Service, old: CoreV1Service): void {
  const spec = service.spec;
  const before = old.spec;
  if (spec === undefined || before === undefined) return;
  // Computed before anything is dropped: whether a row's members are needed can depend on those of another row.
  const unneeded = TYPE_DEPENDENT_FIELDS.filter(({ isNeededBy }) => isNeededBy(before) && !isNeededBy(spec));
  for (const member of unneeded.flatMap(({ members }) => members)) {
    if (equalJson(spec[member], before[member])) delete spec[member];
  }
  if (hasNodePorts(before) && !hasNodePorts(spec)) dropNodePorts(spec, before);
  if (!isLoadBalancer(spec)) service.status = { ...service.status, loadBalancer: {} };
}

/** Drops the node ports unless the update sets a new one. */
function dropNodePorts(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  const oldNodePorts = new Set(portsOf(before).map((port) => port.nodePort));
  const isNew = ({ nodePort = 0 }: { readonly nodePort?: number }): boolean => nodePort !== 0 && !oldNodePorts.has(nodePort);
  if (portsOf(spec).some(isNew)) return;
  for (const port of portsOf(spec)) delete port.nodePort;
}

/** ExternalName Services have no internal traffic policy; an invalid value is left for validation to reject. */
export function dropExternalNameFields(service: CoreV1Service): void {
  const { spec } = service;
  if (spec === undefined || !isExternalName(spec)) return;
  const policy = spec.internalTrafficPolicy;
  if (policy === 'Cluster' || policy === 'Local') delete spec.internalTrafficPolicy;
}
