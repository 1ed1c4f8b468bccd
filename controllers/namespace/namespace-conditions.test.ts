import type { CoreV1Namespace, CoreV1NamespaceCondition } from '../../shared/api/types/generated/members';
import { conditionsOf } from '../runtime/conditions';
import { deletionStages } from './deletion-stages';
import {
  isContentDeleted,
  longestGraceSeconds,
  withDeletionConditions,
  type DeletionAttempt,
  type RemainingContent,
} from './namespace-conditions';

const SUCCESS: DeletionAttempt = { staleVersions: [], malformedVersions: [], failures: [], remaining: [] };
const content = (resource: string, count: number, finalizers: Record<string, number> = {}, graceSeconds = 0): RemainingContent => ({
  resource,
  count,
  finalizers: new Map(Object.entries(finalizers)),
  graceSeconds,
  examples: [],
});

const conditions = (attempt: DeletionAttempt, namespace: CoreV1Namespace = {}, now = 'T1') =>
  conditionsOf(withDeletionConditions(namespace, attempt, now) ?? {});

const ofType = (list: readonly CoreV1NamespaceCondition[], type: string): CoreV1NamespaceCondition | undefined =>
  list.find((condition) => condition.type === type);

// Recorded from upstream's server.
test('withDeletionConditions reports remaining resources and finalizers with the messages of upstream', () => {
  const remaining = [
    content('secrets.', 1, { 'd.e/f': 1 }),
    content('pods.', 1, { 'x.y/z': 1 }),
    content('configmaps.', 2, { 'a.b/c': 2, 'd.e/f': 1 }),
    content('deployments.apps', 1, { 'x.y/z': 1 }),
  ];
  expect(conditions({ ...SUCCESS, remaining })).toEqual([
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

test('withDeletionConditions reports failures of discovery and deletion with the messages of upstream', () => {
  const updated = conditions({ ...SUCCESS, staleVersions: ['metrics.example.com/v1beta1', 'other.example.com/v1'], failures: ['b', 'a'] });
  expect(ofType(updated, 'NamespaceDeletionDiscoveryFailure')).toMatchObject({
    status: 'True',
    reason: 'DiscoveryFailed',
    message:
      'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ' +
      'metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1, other.example.com/v1: stale ' +
      'GroupVersion discovery: other.example.com/v1',
  });
  expect(ofType(updated, 'NamespaceDeletionContentFailure')).toMatchObject({
    status: 'True',
    reason: 'ContentDeletionFailed',
    message: 'Failed to delete all resource types, 2 remaining: a, b',
  });
  expect(ofType(updated, 'NamespaceContentRemaining')).toMatchObject({
    status: 'False',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  });
  expect(ofType(updated, 'NamespaceFinalizersRemaining')).toMatchObject({
    status: 'False',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  });
});

test('withDeletionConditions keeps lastTransitionTime for an unchanged status, keeps other conditions and returns nothing without a change', () => {
  const first = withDeletionConditions(
    { status: { phase: 'Terminating', conditions: [{ type: 'Mine', status: 'True' }] } },
    { ...SUCCESS, remaining: [content('pods.', 2)] },
    'T1',
  );
  if (first === undefined) throw new Error('no conditions');
  expect(withDeletionConditions(first, { ...SUCCESS, remaining: [content('pods.', 2)] }, 'T2')).toBeUndefined();
  const fewer = conditions({ ...SUCCESS, remaining: [content('pods.', 1)] }, first, 'T3');
  expect(ofType(fewer, 'Mine')).toEqual({ type: 'Mine', status: 'True' });
  expect(ofType(fewer, 'NamespaceContentRemaining')).toMatchObject({
    status: 'True',
    lastTransitionTime: 'T1',
    message: 'Some resources are remaining: pods. has 1 resource instances',
  });
  const empty = conditions(SUCCESS, first, 'T4');
  expect(ofType(empty, 'NamespaceContentRemaining')).toMatchObject({ status: 'False', lastTransitionTime: 'T4' });
});

test('isContentDeleted returns true when nothing remains and neither discovery nor a deletion failed', () => {
  expect(isContentDeleted(SUCCESS)).toBe(true);
  expect(isContentDeleted({ ...SUCCESS, staleVersions: ['g/v1'] })).toBe(false);
  expect(isContentDeleted({ ...SUCCESS, failures: ['x'] })).toBe(false);
  expect(isContentDeleted({ ...SUCCESS, remaining: [content('pods.', 1)] })).toBe(false);
});

test('longestGraceSeconds returns the maximum over all remaining resources', () => {
  expect(longestGraceSeconds({ ...SUCCESS, remaining: [content('pods.', 1, {}, 30), content('x.', 1)] })).toBe(30);
});

test('deletionStages puts pods first and leaves out resources that are cluster-scoped or cannot be listed and deleted', () => {
  const row = (group: string, resource: string, verbs: string[]) => ({
    group,
    version: 'v1',
    resource,
    kind: '',
    namespaced: true,
    verbs: new Set(verbs),
    subresources: new Set<string>(),
  });
  const both = ['list', 'delete'];
  const stages = deletionStages([
    row('', 'configmaps', both),
    row('', 'bindings', ['create']),
    { ...row('', 'nodes', both), namespaced: false },
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
