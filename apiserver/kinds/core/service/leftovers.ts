/**
 * What a Service loses when its type or policy no longer needs it: only what the client left as it was; what it changed
 * is left for the rules to refuse.
 */
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { numberAt } from '../../rules/field-rules';
import { isReachable, needsHealthCheck, portsOf } from './carry';

interface Leftover {
  /** Whether a spec needs the members. */
  readonly needed: (spec: JsonObject) => boolean;
  readonly members: readonly string[];
}

const isType =
  (...types: readonly string[]) =>
  (spec: JsonObject): boolean =>
    types.includes(stringAt(spec, 'type') ?? '');
const isBalanced = isType('LoadBalancer');
const hasNodePorts = isType('NodePort', 'LoadBalancer');

const LEFTOVERS: readonly Leftover[] = [
  { needed: (spec) => !isType('ExternalName')(spec), members: ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] },
  { needed: needsHealthCheck, members: ['healthCheckNodePort'] },
  { needed: isBalanced, members: ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] },
  { needed: isReachable, members: ['externalTrafficPolicy'] },
];

export function dropLeftovers(service: JsonObject, old: JsonObject): void {
  const [spec, before] = [objectAt(service, 'spec'), objectAt(old, 'spec')];
  if (spec === undefined || before === undefined) return;
  // Judged as it came: what one row drops is no reason for the next.
  const released = LEFTOVERS.filter(({ needed }) => needed(before) && !needed(spec)).flatMap(({ members }) => members);
  for (const member of released) if (equalJson(own(spec, member), own(before, member))) delete spec[member];
  if (hasNodePorts(before) && !hasNodePorts(spec)) dropNodePorts(spec, before);
  if (!isBalanced(spec)) service['status'] = { ...objectAt(service, 'status'), loadBalancer: {} };
}

/** All or none: when they are the numbers that the old ports had, in any order. */
function dropNodePorts(spec: JsonObject, before: JsonObject): void {
  const numbers = (of: JsonObject): number[] => [...new Set(portsOf(of).map((port) => numberAt(port, 'nodePort')))].sort((a, b) => a - b);
  if (!equalJson(numbers(spec), numbers(before))) return;
  for (const port of portsOf(spec)) delete port['nodePort'];
}

/** An alias has no traffic of its own to direct; a policy that is none is left for the rules to refuse. */
export function dropWhatAliasesLack(service: JsonObject): void {
  const spec = objectAt(service, 'spec');
  const policy = stringAt(spec, 'internalTrafficPolicy');
  if (spec !== undefined && isType('ExternalName')(spec) && (policy === 'Cluster' || policy === 'Local'))
    delete spec['internalTrafficPolicy'];
}
