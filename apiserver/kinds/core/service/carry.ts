/**
 * What an update that says nothing about allocated values keeps of them: addresses, node ports, the port of the health
 * check. Runs before anything is settled, chosen or judged.
 */
import { type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../../shared/values/json';
import { listed, numberAt } from '../../rules/field-rules';

/** Fills in `service` what `old` had, where both are of a type that has it. */
export function carryAllocated(service: JsonObject, old: JsonObject): void {
  const [spec, before] = [objectAt(service, 'spec'), objectAt(old, 'spec')];
  if (spec === undefined || before === undefined) return;
  if (hasClusterAddress(spec) && hasClusterAddress(before)) carryAddresses(spec, before);
  if (takesNodePorts(spec) && takesNodePorts(before)) carryNodePorts(spec, before);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && numberAt(spec, 'healthCheckNodePort') === 0)
    spec['healthCheckNodePort'] = own(before, 'healthCheckNodePort') ?? 0;
}

const hasClusterAddress = (spec: JsonObject): boolean => stringAt(spec, 'type') !== 'ExternalName';

/** Every port of such a Service has a node port. */
export function takesNodePorts(spec: JsonObject): boolean {
  const type = stringAt(spec, 'type');
  return type === 'NodePort' || (type === 'LoadBalancer' && own(spec, 'allocateLoadBalancerNodePorts') !== false);
}

/** Load balancers ask such a Service's nodes whether they have an endpoint. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return stringAt(spec, 'type') === 'LoadBalancer' && stringAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Traffic from outside the cluster finds a way to it. */
export function isReachable(spec: JsonObject): boolean {
  const type = stringAt(spec, 'type');
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && stringsAt(spec, 'externalIPs').length > 0);
}

export const portsOf = (spec: JsonObject): readonly JsonObject[] => listed(spec, 'ports');

function carryAddresses(spec: JsonObject, before: JsonObject): void {
  const old = stringAt(before, 'clusterIP') ?? '';
  if ((stringAt(spec, 'clusterIP') ?? '') === '' && old !== '') spec['clusterIP'] = old;
  if (stringsAt(spec, 'clusterIPs').length === 0 && stringAt(spec, 'clusterIP') === old && old !== '')
    spec['clusterIPs'] = [...stringsAt(before, 'clusterIPs')];
}

/** By the ports' names; a number that another port of the new state keeps is not given again. */
function carryNodePorts(spec: JsonObject, before: JsonObject): void {
  const given = new Set(portsOf(spec).map((port) => numberAt(port, 'nodePort')));
  const byName = new Map(portsOf(before).map((port) => [stringAt(port, 'name') ?? '', numberAt(port, 'nodePort')]));
  for (const port of portsOf(spec)) {
    if (numberAt(port, 'nodePort') !== 0) continue;
    const old = byName.get(stringAt(port, 'name') ?? '') ?? 0;
    if (old !== 0 && !given.has(old)) port['nodePort'] = old;
  }
}
