import type {
  AppsV1StatefulSet,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  MetaV1OwnerReference,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { changedOwnerReferences } from './claim-owner-references';
import { missingIdentityLabels, newClaims, ordinalOf } from './identity';
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

type RetentionPolicy = { whenScaled?: string; whenDeleted?: string };

const set = (persistentVolumeClaimRetentionPolicy: RetentionPolicy = {}): StatefulSet =>
  apiObject<AppsV1StatefulSet>({
    metadata: { namespace: 'n', name: 'web', uid: 'w' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      persistentVolumeClaimRetentionPolicy,
      volumeClaimTemplates: [{ metadata: { name: 'data', labels: { l: 'm' } }, spec: { accessModes: ['ReadWriteOnce'] } }],
    },
  });
const pod = apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: 'web-1', uid: 'p' } });

test('newClaims names a claim after its pod and adds the labels of the selector', () => {
  expect(newClaims(set(), 'web-1')).toEqual([
    { metadata: { namespace: 'n', name: 'data-web-1', labels: { l: 'm', app: 'a' } }, spec: { accessModes: ['ReadWriteOnce'] } },
  ]);
});

test('missingIdentityLabels returns the labels that an adopted pod lacks', () => {
  const labels = { 'statefulset.kubernetes.io/pod-name': 'web-1', 'apps.kubernetes.io/pod-index': '1' };
  expect(missingIdentityLabels(pod, 1)).toEqual(labels);
  expect(missingIdentityLabels(apiObject<CoreV1Pod>({ metadata: { name: 'web-1', labels } }), 1)).toBeUndefined();
});

const otherOwner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };
const formerPod = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'before' };
const ownedBySet = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'w', controller: true, blockOwnerDeletion: true };
const ownedByPod = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'p', controller: true, blockOwnerDeletion: true };

interface OwnerCase {
  readonly policy: RetentionPolicy;
  readonly isCondemned: boolean;
  readonly observed: readonly MetaV1OwnerReference[];
  /** `undefined` when the owners do not change. */
  readonly desired: readonly MetaV1OwnerReference[] | undefined;
}

test.each<OwnerCase>([
  { policy: {}, isCondemned: false, observed: [], desired: undefined },
  { policy: {}, isCondemned: true, observed: [otherOwner, ownedBySet, formerPod], desired: [otherOwner] },
  { policy: { whenDeleted: 'Delete' }, isCondemned: false, observed: [otherOwner], desired: [otherOwner, ownedBySet] },
  { policy: { whenDeleted: 'Delete' }, isCondemned: true, observed: [ownedBySet], desired: undefined },
  { policy: { whenScaled: 'Delete' }, isCondemned: false, observed: [formerPod], desired: [] },
  { policy: { whenScaled: 'Delete' }, isCondemned: true, observed: [], desired: [ownedByPod] },
  { policy: { whenScaled: 'Delete', whenDeleted: 'Delete' }, isCondemned: true, observed: [ownedBySet], desired: [ownedByPod] },
])(
  'changedOwnerReferences with $policy and isCondemned=$isCondemned changes $observed to $desired',
  ({ policy, isCondemned, observed, desired }) => {
    const claim = apiObject<CoreV1PersistentVolumeClaim>({
      metadata: { namespace: 'n', name: 'data-web-1', ownerReferences: [...observed] },
    });
    expect(changedOwnerReferences({ dialect: 'kubernetes', set: set(policy), pod, isCondemned }, claim)).toEqual(desired);
  },
);
