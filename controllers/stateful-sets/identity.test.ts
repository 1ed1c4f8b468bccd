import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { changedOwners } from './claim-owners';
import { claimsFor, missingLabels, ordinalOf } from './identity';
import { STATEFUL_SETS } from './writes';

test.each([
  ['web-0', 0],
  ['web-12', 12],
  ['web-012', undefined],
  ['web-x', undefined],
  ['web', undefined],
  ['other-1', undefined],
  ['web-1-1', undefined],
])('ordinalOf the pod %s in the StatefulSet web returns %p', (name, ordinal) => expect(ordinalOf('web', name)).toBe(ordinal));

const set = (policy: JsonObject = {}): ApiObject =>
  apiObject({
    metadata: { namespace: 'n', name: 'web', uid: 'w' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      persistentVolumeClaimRetentionPolicy: policy,
      volumeClaimTemplates: [{ metadata: { name: 'data', labels: { l: 'm' } }, spec: { accessModes: ['ReadWriteOnce'] } }],
    },
  });
const pod = apiObject({ metadata: { namespace: 'n', name: 'web-1', uid: 'p' } });

test('claimsFor names a claim after its pod and adds the labels of the selector', () => {
  expect(claimsFor(set(), 'web-1')).toEqual([
    { metadata: { namespace: 'n', name: 'data-web-1', labels: { l: 'm', app: 'a' } }, spec: { accessModes: ['ReadWriteOnce'] } },
  ]);
});

test('missingLabels returns the labels that an adopted pod lacks', () => {
  const labels = { 'statefulset.kubernetes.io/pod-name': 'web-1', 'apps.kubernetes.io/pod-index': '1' };
  expect(missingLabels(pod, 1)).toEqual(labels);
  expect(missingLabels(apiObject({ ...pod.body, metadata: { name: 'web-1', labels } }), 1)).toBeUndefined();
});

const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };
const former = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'before' };
const ofSet = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'w', controller: true, blockOwnerDeletion: true };
const ofPod = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'p', controller: true, blockOwnerDeletion: true };

test.each<[JsonObject, boolean, readonly JsonObject[], readonly JsonObject[] | undefined]>([
  [{}, false, [], undefined],
  [{}, true, [other, ofSet, former], [other]],
  [{ whenDeleted: 'Delete' }, false, [other], [other, ofSet]],
  [{ whenDeleted: 'Delete' }, true, [ofSet], undefined],
  [{ whenScaled: 'Delete' }, false, [former], []],
  [{ whenScaled: 'Delete' }, true, [], [ofPod]],
  [{ whenScaled: 'Delete', whenDeleted: 'Delete' }, true, [ofSet], [ofPod]],
])('changedOwners with the policy %p and isCondemned %p changes the owners %p to %p', (policy, isCondemned, ownerReferences, wanted) => {
  const claim = apiObject({ metadata: { namespace: 'n', name: 'data-web-1', ownerReferences: [...ownerReferences] } });
  const owners = { dialect: 'kubernetes' as const, resource: STATEFUL_SETS, set: set(policy), pod, isCondemned };
  expect(changedOwners(owners, claim)).toEqual(wanted);
});
