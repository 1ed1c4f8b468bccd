/**
 * What the cases of the Service's rules are: an object to begin with and a change of it. Each is tried as a new object (the base with the change in
 * it) and as an update of the stored base.
 */
import { isBody, type Body, type Json } from '../reference';

export type BaseName = 'cluster' | 'headless' | 'node' | 'balancer' | 'local' | 'alias';

/** A JSON merge patch of the base's spec; a whole object's when it has `metadata` or `spec`. */
export type Case = readonly [base: BaseName, change: Body];

export interface Rule {
  readonly rule: string;
  readonly cases: readonly Case[];
}

const SELECTOR = { a: 'b' };
const PORT = { name: 'p', port: 80 };

/** The specs of the objects to begin with. */
export const BASES: Readonly<Record<BaseName, Body>> = {
  cluster: { selector: SELECTOR, ports: [PORT] },
  headless: { selector: SELECTOR, clusterIP: 'None', ports: [PORT] },
  node: { selector: SELECTOR, type: 'NodePort', ports: [PORT] },
  balancer: { selector: SELECTOR, type: 'LoadBalancer', ports: [PORT] },
  local: { selector: SELECTOR, type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [PORT] },
  alias: { type: 'ExternalName', externalName: 'example.com' },
};

export function changeOf(change: Body): Body {
  return 'metadata' in change || 'spec' in change ? change : { spec: change };
}

/** RFC 7396. */
export function merged(value: Json | undefined, patch: Body): Body {
  const result: Body = isBody(value) ? { ...value } : {};
  for (const [member, change] of Object.entries(patch)) {
    if (change === null) delete result[member];
    else result[member] = isBody(change) ? merged(result[member], change) : change;
  }
  return result;
}

/** What turns `from` into `to`: equal members are left out, missing ones are null. */
function difference(from: Json | undefined, to: Json): Json {
  if (!isBody(from) || !isBody(to)) return to;
  const changes: Body = {};
  for (const member of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const value = to[member];
    if (value === undefined) changes[member] = null;
    else if (JSON.stringify(value) !== JSON.stringify(from[member])) changes[member] = difference(from[member], value);
  }
  return changes;
}

const ADDRESS = /\b(?:10\.96|10\.0)\.\d{1,3}\.\d{1,3}\b|\bfd00::[0-9a-f:]*[0-9a-f]\b|\b3[0-2]\d{3}\b/g;

/** Every address and node port that the case does not itself name stands as `*` (the server chose it), explanations of patterns as `(…)`. */
export function masked(answer: Json, scope: Body, name: string): Json {
  const named = JSON.stringify(scope);
  const text = JSON.stringify(answer)
    .replaceAll(name, '$NAME')
    .replace(/\(e\.g\. '[^)]*?regex used for validation is '(?:[^'])*'\)/g, '(…)')
    .replace(ADDRESS, (found) => (named.includes(found) ? found : '*'))
    .replace(/"(nodePort|healthCheckNodePort)":\*/g, '"$1":"*"');
  const made: Json = JSON.parse(text);
  return made;
}

/** What is kept of an accepted object: what the server made of the one that was sent. */
export function madeOf(sent: Json, { spec = null, status = null }: Body): Json {
  const before = isBody(sent) ? { spec: sent['spec'] ?? {}, status: { loadBalancer: {} } } : {};
  return difference(before, { spec, status });
}
