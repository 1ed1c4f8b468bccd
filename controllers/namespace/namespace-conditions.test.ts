import { arrayAt, objectAt, type JsonObject } from '../../shared/values/json';
import { deletionStages } from './deletion-stages';
import { graceSeconds, isEmptied, withConditions, type Pass, type Remainder } from './namespace-conditions';

const nothing: Pass = { stale: [], malformed: [], failures: [], remainders: [] };
const left = (label: string, count: number, finalizers: Record<string, number> = {}, grace = 0): Remainder => ({
  label,
  count,
  finalizers: new Map(Object.entries(finalizers)),
  graceSeconds: grace,
  examples: [],
});

function conditions(pass: Pass, namespace: JsonObject = {}, now = 'T1'): JsonObject[] {
  return (arrayAt(objectAt(withConditions(namespace, pass, now), 'status'), 'conditions') ?? []) as JsonObject[];
}

// Recorded from the reference server.
test('withConditions reports remaining resources and finalizers with the messages of the reference server', () => {
  const remainders = [
    left('secrets.', 1, { 'd.e/f': 1 }),
    left('pods.', 1, { 'x.y/z': 1 }),
    left('configmaps.', 2, { 'a.b/c': 2, 'd.e/f': 1 }),
    left('deployments.apps', 1, { 'x.y/z': 1 }),
  ];
  expect(conditions({ ...nothing, remainders })).toEqual([
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      lastTransitionTime: 'T1',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      lastTransitionTime: 'T1',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      lastTransitionTime: 'T1',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      lastTransitionTime: 'T1',
      reason: 'SomeResourcesRemain',
      message:
        'Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource instances, ' +
        'pods. has 1 resource instances, secrets. has 1 resource instances',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      lastTransitionTime: 'T1',
      reason: 'SomeFinalizersRemain',
      message:
        'Some content in the namespace has finalizers remaining: a.b/c in 2 resource instances, d.e/f in 2 resource ' +
        'instances, x.y/z in 2 resource instances',
    },
  ]);
});

test('withConditions reports failures of discovery and deletion with the messages of the reference server', () => {
  const found = conditions({ ...nothing, stale: ['metrics.example.com/v1beta1', 'other.example.com/v1'], failures: ['b', 'a'] });
  expect(found[0]).toMatchObject({
    status: 'True',
    reason: 'DiscoveryFailed',
    message:
      'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ' +
      'metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1, other.example.com/v1: stale ' +
      'GroupVersion discovery: other.example.com/v1',
  });
  expect(found[2]).toMatchObject({
    status: 'True',
    reason: 'ContentDeletionFailed',
    message: 'Failed to delete all resource types, 2 remaining: a, b',
  });
  expect(found[3]).toMatchObject({ status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' });
  expect(found[4]).toMatchObject({
    status: 'False',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  });
});

test('withConditions keeps lastTransitionTime for an unchanged status, keeps other conditions and returns nothing without a change', () => {
  const first = withConditions(
    { status: { phase: 'Terminating', conditions: [{ type: 'Mine', status: 'True' }] } },
    { ...nothing, remainders: [left('pods.', 2)] },
    'T1',
  );
  if (first === undefined) throw new Error('no conditions');
  expect(withConditions(first, { ...nothing, remainders: [left('pods.', 2)] }, 'T2')).toBeUndefined();
  const fewer = conditions({ ...nothing, remainders: [left('pods.', 1)] }, first, 'T3');
  expect(fewer[0]).toEqual({ type: 'Mine', status: 'True' });
  expect(fewer[4]).toMatchObject({
    status: 'True',
    lastTransitionTime: 'T1',
    message: 'Some resources are remaining: pods. has 1 resource instances',
  });
  expect(conditions(nothing, first, 'T4')[4]).toMatchObject({ status: 'False', lastTransitionTime: 'T4' });
});

test('isEmptied returns true when nothing remains and neither discovery nor a deletion failed', () => {
  expect(isEmptied(nothing)).toBe(true);
  expect(isEmptied({ ...nothing, stale: ['g/v1'] })).toBe(false);
  expect(isEmptied({ ...nothing, failures: ['x'] })).toBe(false);
  expect(isEmptied({ ...nothing, remainders: [left('pods.', 1)] })).toBe(false);
  expect(graceSeconds({ ...nothing, remainders: [left('pods.', 1, {}, 30), left('x.', 1)] })).toBe(30);
});

test('deletionStages puts pods first and leaves out resources that are cluster-scoped or cannot be listed and deleted', () => {
  const row = (group: string, resource: string, verbs: string[], namespaced = true) => ({
    group,
    version: 'v1',
    resource,
    kind: '',
    namespaced,
    verbs: new Set(verbs),
    subresources: new Set<string>(),
  });
  const both = ['list', 'delete'];
  const stages = deletionStages([
    row('', 'configmaps', both),
    row('', 'bindings', ['create']),
    row('', 'nodes', both, false),
    row('metrics.example.com', 'pods', ['list', 'get']),
    row('networking.platform.io', 'networkpolicies', ['list', 'deletecollection']),
    row('', 'pods', both),
    row('example.com', 'pods', both),
  ]);
  expect(stages.map((stage) => stage.map(({ group, resource }) => `${resource}.${group}`))).toEqual([
    ['pods.'],
    ['configmaps.', 'networkpolicies.networking.platform.io', 'pods.example.com'],
  ]);
});
