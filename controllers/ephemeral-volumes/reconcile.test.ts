import type { CoreV1PersistentVolumeClaim, CoreV1Pod, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { ephemeralVolumesOf, reconcileVolume } from './reconcile';

const SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const TEMPLATE = { metadata: { labels: { l: 'x' }, annotations: { a: 'y' } }, spec: SPEC };
const pod = (deletionTimestamp?: string) =>
  apiObject<CoreV1Pod>({
    metadata: { namespace: 'n', name: 'p', uid: 'u', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: {
      volumes: [
        { name: 'a', ephemeral: { volumeClaimTemplate: TEMPLATE } },
        { name: 'b', emptyDir: {} },
        { name: 'c', persistentVolumeClaim: { claimName: 'c' } },
      ],
    },
  });
const VOLUME = { name: 'a', claimName: 'p-a', template: TEMPLATE };
const owner = (uid: string): MetaV1OwnerReference => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true });
const claim = (...ownerReferences: MetaV1OwnerReference[]) =>
  apiObject<CoreV1PersistentVolumeClaim>({ metadata: { namespace: 'n', name: 'p-a', ownerReferences } });

test('ephemeralVolumesOf returns the generic ephemeral volumes of a pod only', () => {
  expect(ephemeralVolumesOf(pod())).toEqual([VOLUME]);
});

test('reconcileVolume creates a claim that the pod owns, with the labels, annotations and spec of the template', () => {
  expect(reconcileVolume(pod(), VOLUME, undefined)).toEqual({
    type: 'create',
    claim: {
      metadata: {
        namespace: 'n',
        name: 'p-a',
        labels: { l: 'x' },
        annotations: { a: 'y' },
        ownerReferences: [{ ...owner('u'), blockOwnerDeletion: true }],
      },
      spec: SPEC,
    },
  });
});

test.each([
  ['does nothing when the pod owns the claim', pod(), claim(owner('u')), 'none'],
  ['reports a claim without an owner', pod(), claim(), 'conflict'],
  ['reports the claim of an earlier pod of the same name', pod(), claim(owner('earlier')), 'conflict'],
  ['reports a claim that the pod owns, but does not control', pod(), claim({ ...owner('u'), controller: false }), 'conflict'],
  ['does nothing for a pod that is being deleted', pod('2026-01-01T00:00:00Z'), undefined, 'none'],
])('reconcileVolume %s', (_, observedPod, existing, type) => {
  expect(reconcileVolume(observedPod, VOLUME, existing).type).toBe(type);
});
