import type { CoreV1Pod, MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { fakeClient } from '../../test/support/controllers/fake-client';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { claimDependents, classifyCandidates, OwnerDeletedError } from './controller-ref-manager';

const REPLICA_SETS_PATH = '/apis/apps/v1/replicasets';
const PODS_PATH = '/api/v1/pods';
const DELETION = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u1', controller: true };

const object = (name: string, metadata: MetaV1ObjectMeta = {}): Pod =>
  apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name, uid: `uid of ${name}`, resourceVersion: '1', ...metadata } });
const matching = (name: string, metadata: MetaV1ObjectMeta = {}): Pod => object(name, { labels: { app: 'a' }, ...metadata });
const matches = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === 'a';
const owner = object('set', { uid: 'u1' });
const names = (objects: readonly ApiObject[]): readonly string[] => objects.map(({ name }) => name);

test('classifyCandidates returns owned dependents, matching orphans to adopt, and dependents to release that no longer match', () => {
  const claims = classifyCandidates(owner, matches, [
    matching('owned', { ownerReferences: [OWNER] }),
    object('unmatched', { ownerReferences: [OWNER] }),
    matching('orphan'),
    object('unmatched-orphan'),
    matching('terminating-orphan', DELETION),
    matching('controlled-by-another', { ownerReferences: [{ ...OWNER, uid: 'u2' }] }),
    matching('owned-without-controller', { ownerReferences: [{ ...OWNER, uid: 'u2', controller: false }] }),
    matching('other-namespace', { namespace: 'm' }),
  ]);
  expect({ owned: names(claims.owned), adopt: names(claims.adopt), release: names(claims.release) }).toEqual({
    owned: ['owned'],
    adopt: ['orphan', 'owned-without-controller'],
    release: ['unmatched'],
  });
});

test('classifyCandidates neither adopts nor releases for an owner that is being deleted', () => {
  const terminatingOwner = object('set', { uid: 'u1', ...DELETION });
  const claims = classifyCandidates(terminatingOwner, matches, [matching('orphan'), object('unmatched', { ownerReferences: [OWNER] })]);
  expect(claims).toEqual({ owned: [], adopt: [], release: [] });
});

describe('claimDependents', () => {
  const signal = new AbortController().signal;
  /** An API server that has the owner with this metadata. */
  const setUp = (metadata: MetaV1ObjectMeta) => {
    const fake = fakeClient();
    const { api } = fake;
    api.put(REPLICA_SETS_PATH, { metadata: { namespace: 'n', name: 'set', uid: 'u1', ...metadata } });
    const options = { client: fake.client, ownerResource: resourceOf('apps.v1.ReplicaSet'), resource: resourceOf('core.v1.Pod'), signal };
    const putPod = (name: string, podMetadata: MetaV1ObjectMeta): Pod => {
      const pod: CoreV1Pod = { metadata: { namespace: 'n', name, ...podMetadata } };
      return apiObject(api.put(PODS_PATH, pod));
    };
    const metadataOf = (name: string): MetaV1ObjectMeta => apiObject(api.get(PODS_PATH, 'n', name) ?? {}).metadata;
    return { options, putPod, metadataOf };
  };

  it('adds an owner reference and a finalizer to an adopted pod, and keeps other owner references', async () => {
    const { options, putPod, metadataOf } = setUp({});
    const otherOwner: MetaV1OwnerReference = { ...OWNER, uid: 'u2', controller: false };
    const orphan = putPod('orphan', { labels: { app: 'a' }, ownerReferences: [otherOwner] });
    expect(names(await claimDependents({ ...options, finalizer: 'f' }, owner, matches, [orphan]))).toEqual(['orphan']);
    const ownerReferences = [otherOwner, { ...OWNER, blockOwnerDeletion: true }];
    expect(metadataOf('orphan')).toMatchObject({ ownerReferences, finalizers: ['f'] });
  });

  it('rejects with OwnerDeletedError when the owner is being deleted or has another uid', async () => {
    for (const metadata of [DELETION, { uid: 'u3' }]) {
      const { options, putPod, metadataOf } = setUp(metadata);
      const orphan = putPod('orphan', { labels: { app: 'a' } });
      await expect(claimDependents(options, owner, matches, [orphan])).rejects.toThrow(OwnerDeletedError);
      expect(metadataOf('orphan').ownerReferences).toBeUndefined();
    }
  });

  it('releases a pod that no longer matches, and ignores pods that do not exist', async () => {
    const { options, putPod, metadataOf } = setUp({});
    const unmatched = putPod('unmatched', { ownerReferences: [OWNER] });
    const missing = [object('missing', { ownerReferences: [OWNER] }), matching('missing-orphan')];
    expect(await claimDependents(options, owner, matches, [unmatched, ...missing])).toEqual([]);
    expect(metadataOf('unmatched').ownerReferences).toEqual([]);
  });
});
