import type {
  AppsV1StatefulSet,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  MetaV1OwnerReference,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { changedOwnerReferences } from './claim-owner-references';
import type { StatefulSet } from './stateful-set';

type RetentionPolicy = { whenScaled?: string; whenDeleted?: string };

const set = (persistentVolumeClaimRetentionPolicy: RetentionPolicy): StatefulSet =>
  apiObject<AppsV1StatefulSet>({
    metadata: { namespace: 'n', name: 'web', uid: 'w' },
    spec: { persistentVolumeClaimRetentionPolicy },
  });
const pod = apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: 'web-1', uid: 'p' } });

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
