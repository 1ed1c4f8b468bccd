import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { fakeClient } from '../../test/support/fake-client';
import { claimDependents, classifyCandidates, OwnerGoneError } from './controller-ref-manager';

const SETS = '/apis/apps/v1/replicasets';
const PODS = '/api/v1/pods';
const OWNER: JsonObject = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u1', controller: true };

const object = (name: string, metadata: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name, uid: `uid of ${name}`, resourceVersion: '1', ...metadata } });
const labelled = (name: string, metadata: JsonObject = {}): ApiObject => object(name, { labels: { app: 'a' }, ...metadata });
const matches = ({ body }: ApiObject): boolean => objectAt(objectAt(body, 'metadata'), 'labels')?.['app'] === 'a';
const set = object('set', { uid: 'u1' });
const names = (objects: readonly ApiObject[]): readonly string[] => objects.map(({ name }) => name);

test('claimsOf keeps selected dependents, adopts matching orphans and releases dependents that no longer match', () => {
  const claims = classifyCandidates(set, matches, [
    labelled('kept', { ownerReferences: [OWNER] }),
    object('strayed', { ownerReferences: [OWNER] }),
    labelled('free'),
    object('other'),
    labelled('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    labelled('foreign', { ownerReferences: [{ ...OWNER, uid: 'u2' }] }),
    labelled('owned', { ownerReferences: [{ ...OWNER, uid: 'u2', controller: false }] }),
    labelled('elsewhere', { namespace: 'm' }),
  ]);
  expect({ owned: names(claims.owned), adopt: names(claims.adopt), release: names(claims.release) }).toEqual({
    owned: ['kept'],
    adopt: ['free', 'owned'],
    release: ['strayed'],
  });
});

test('claimsOf neither adopts nor releases for an owner that is being deleted', () => {
  const going = object('set', { uid: 'u1', deletionTimestamp: '2026-01-01T00:00:00Z' });
  const claims = classifyCandidates(going, matches, [labelled('free'), object('strayed', { ownerReferences: [OWNER] })]);
  expect(claims).toEqual({ owned: [], adopt: [], release: [] });
});

describe('claim', () => {
  const signal = new AbortController().signal;
  const prepared = (owner: JsonObject) => {
    const fake = fakeClient();
    fake.api.put(SETS, { metadata: { namespace: 'n', name: 'set', uid: 'u1', ...owner } });
    const options = { client: fake.client, ownerResource: resourceOf('apps.v1.ReplicaSet'), resource: resourceOf('core.v1.Pod'), signal };
    return { ...fake, options };
  };

  it('adds an owner reference and a finalizer to an adopted pod, and keeps other owner references', async () => {
    const { api, options } = prepared({});
    const other = { ...OWNER, uid: 'u2', controller: false };
    const free = apiObject(api.put(PODS, { metadata: { namespace: 'n', name: 'free', labels: { app: 'a' }, ownerReferences: [other] } }));
    expect(names(await claimDependents({ ...options, finalizer: 'f' }, set, matches, [free]))).toEqual(['free']);
    const metadata = objectAt(api.get(PODS, 'n', 'free'), 'metadata');
    expect(metadata).toMatchObject({ ownerReferences: [other, { ...OWNER, blockOwnerDeletion: true }], finalizers: ['f'] });
  });

  it('rejects with OwnerGone when the owner is being deleted or has another uid', async () => {
    for (const owner of [{ deletionTimestamp: '2026-01-01T00:00:00Z' }, { uid: 'u3' }]) {
      const { api, options } = prepared(owner);
      const free = apiObject(api.put(PODS, { metadata: { namespace: 'n', name: 'free', labels: { app: 'a' } } }));
      await expect(claimDependents(options, set, matches, [free])).rejects.toThrow(OwnerGoneError);
      expect(objectAt(api.get(PODS, 'n', 'free'), 'metadata')?.['ownerReferences']).toBeUndefined();
    }
  });

  it('releases a pod that no longer matches, and ignores pods that do not exist', async () => {
    const { api, options } = prepared({});
    const strayed = apiObject(api.put(PODS, { metadata: { namespace: 'n', name: 'strayed', ownerReferences: [OWNER] } }));
    expect(await claimDependents(options, set, matches, [strayed, object('gone', { ownerReferences: [OWNER] }), labelled('lost')])).toEqual(
      [],
    );
    expect(objectAt(api.get(PODS, 'n', 'strayed'), 'metadata')?.['ownerReferences']).toEqual([]);
  });
});
