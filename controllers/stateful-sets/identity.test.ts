import type { AppsV1StatefulSet, CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { identityLabelsToRestore, newClaims, ordinalOf } from './identity';
import type { StatefulSet } from './stateful-set';

test.each([
  ['web-0', 0],
  ['web-12', 12],
  ['web-012', undefined],
  ['web-x', undefined],
  ['web', undefined],
  ['other-1', undefined],
  ['web-1-1', undefined],
])('ordinalOf the pod %s in the StatefulSet web returns %p', (name, ordinal) => expect(ordinalOf('web', name)).toBe(ordinal));

const set: StatefulSet = apiObject<AppsV1StatefulSet>({
  metadata: { namespace: 'n', name: 'web', uid: 'w' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    volumeClaimTemplates: [{ metadata: { name: 'data', labels: { l: 'm' } }, spec: { accessModes: ['ReadWriteOnce'] } }],
  },
});
const pod = apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: 'web-1', uid: 'p' } });

test('newClaims names a claim after its pod and adds the labels of the selector', () => {
  expect(newClaims(set, 'web-1')).toEqual([
    { metadata: { namespace: 'n', name: 'data-web-1', labels: { l: 'm', app: 'a' } }, spec: { accessModes: ['ReadWriteOnce'] } },
  ]);
});

test('identityLabelsToRestore returns all identity labels for an adopted pod that lacks one', () => {
  const labels = { 'statefulset.kubernetes.io/pod-name': 'web-1', 'apps.kubernetes.io/pod-index': '1' };
  expect(identityLabelsToRestore(pod, 1)).toEqual(labels);
  expect(identityLabelsToRestore(apiObject<CoreV1Pod>({ metadata: { name: 'web-1', labels } }), 1)).toBeUndefined();
});
