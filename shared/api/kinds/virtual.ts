/**
 * Virtual kinds, which are not stored: operations that are requested by a create, objects that are computed for
 * each read, and the bodies of subresources.
 */
import { REVIEW_KINDS } from './reviews';
import { bodyKind, rowFactory, STATUS, type KindRow, type SubresourceRow } from './row';

const core = rowFactory('', 'v1', 'core.v1');

/** Assigns a pod to a node. */
export const BINDING: KindRow = core('Binding', 'bindings', { virtual: true, verbs: ['create'], returnsStatus: true });

/** Computed for each read from the health of the components. */
export const COMPONENT_STATUS: KindRow = core('ComponentStatus', 'componentstatuses', {
  scope: 'cluster',
  virtual: true,
  verbs: ['get', 'list'],
  shortNames: ['cs'],
  deprecation: { since: '1.19' },
});

/** The body of the scale subresource. */
export const SCALE: KindRow = bodyKind(rowFactory('autoscaling', 'v1', 'autoscaling.v1'), 'Scale');

/** The subresources of workloads that have a scale. `notFoundGroup`: see {@link SubresourceRow.notFoundGroup}. */
export function scaleAndStatus(notFoundGroup?: string): readonly SubresourceRow[] {
  const group = notFoundGroup === undefined ? {} : { notFoundGroup };
  return [{ name: 'scale', verbs: ['get', 'patch', 'update'], kind: SCALE, ...group }, STATUS];
}

/** The body of the eviction subresource of pods. */
export const EVICTION: KindRow = { ...bodyKind(rowFactory('policy', 'v1', 'policy.v1'), 'Eviction'), alternativeVersion: 'v1beta1' };

const podConnection = (name: string, kind: string): SubresourceRow => ({
  name,
  verbs: ['create', 'get'],
  kind: bodyKind(core, kind),
  connects: 'exact-path',
});

/** The subresource that proxies requests to the endpoint of a Node, Pod or Service. */
export function proxySubresource(kind: string): SubresourceRow {
  const verbs = ['create', 'delete', 'get', 'patch', 'update'] as const;
  return { name: 'proxy', verbs, kind: bodyKind(core, `${kind}ProxyOptions`), connects: 'with-subpaths' };
}

/** Subresources that connect to a running pod. */
export const POD_CONNECTIONS: readonly SubresourceRow[] = [
  podConnection('attach', 'PodAttachOptions'),
  podConnection('exec', 'PodExecOptions'),
  { name: 'log', verbs: ['get'], connects: 'exact-path' },
  podConnection('portforward', 'PodPortForwardOptions'),
  proxySubresource('Pod'),
];

export const VIRTUAL_KINDS: readonly KindRow[] = [BINDING, COMPONENT_STATUS, ...REVIEW_KINDS];
