/** The kinds of which nothing is stored: what is asked for by creating them, or shown without being kept; and the bodies of subresources. */
import { REVIEWS } from './reviews';
import { bodyOf, rowsOf, STATUS, type KindRow, type SubresourceRow } from './row';

const core = rowsOf('', 'v1', 'core.v1');

export const BINDING: KindRow = core('Binding', 'bindings', { virtual: true, verbs: ['create'], answersStatus: true });

export const COMPONENT_STATUS: KindRow = core('ComponentStatus', 'componentstatuses', {
  scope: 'cluster',
  virtual: true,
  verbs: ['get', 'list'],
  shortNames: ['cs'],
  deprecation: { since: '1.19' },
});

/** What autoscalers read and write of a workload. */
export const SCALE: KindRow = bodyOf('autoscaling', 'v1', 'autoscaling.v1', 'Scale');

/** The subresources of workloads that have a scale; see SubresourceRow for `missedIn`. */
export function scaledWorkload(missedIn?: string): readonly SubresourceRow[] {
  const place = missedIn === undefined ? {} : { missedIn };
  return [{ name: 'scale', verbs: ['get', 'patch', 'update'], kind: SCALE, ...place }, STATUS];
}

export const EVICTION: KindRow = { ...bodyOf('policy', 'v1', 'policy.v1', 'Eviction'), alsoVersion: 'v1beta1' };

const connection = (name: string, kind: string): SubresourceRow => ({
  name,
  verbs: ['create', 'get'],
  kind: bodyOf('', 'v1', 'core.v1', kind),
  connects: 'here',
});

/** A proxy to what stands behind a kind's objects. */
export function proxyOf(kind: string): SubresourceRow {
  const verbs = ['create', 'delete', 'get', 'patch', 'update'] as const;
  return { name: 'proxy', verbs, kind: bodyOf('', 'v1', 'core.v1', `${kind}ProxyOptions`), connects: 'below' };
}

/** The ways into a running pod. */
export const POD_CONNECTIONS: readonly SubresourceRow[] = [
  connection('attach', 'PodAttachOptions'),
  connection('exec', 'PodExecOptions'),
  { name: 'log', verbs: ['get'], connects: 'here' },
  connection('portforward', 'PodPortForwardOptions'),
  proxyOf('Pod'),
];

export const OPERATIONS: readonly KindRow[] = [BINDING, COMPONENT_STATUS, ...REVIEWS];
