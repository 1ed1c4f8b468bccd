/** Tests updates of the resources of PersistentVolumeClaims, against the behaviour of release 1.31.1. */
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

interface UpdateCase {
  readonly title: string;
  /** The phase of the claim, which requests 1Gi of storage. */
  readonly phase: 'Bound' | 'Pending';
  readonly resources: JsonObject;
  /** The field of the error; absent when the update is accepted. */
  readonly field?: string;
}

const CASES: readonly UpdateCase[] = [
  {
    title: 'accepts an increase of the storage request when the claim is bound',
    phase: 'Bound',
    resources: { requests: { storage: '2Gi' } },
  },
  {
    title: 'rejects a decrease of the storage request when the claim is bound',
    phase: 'Bound',
    resources: { requests: { storage: '1' } },
    field: 'spec.resources.requests.storage',
  },
  {
    title: 'rejects an increase of the storage request when the claim is pending',
    phase: 'Pending',
    resources: { requests: { storage: '2Gi' } },
    field: 'spec',
  },
  {
    title: 'rejects a request for another resource when the claim is bound',
    phase: 'Bound',
    resources: { requests: { storage: '1Gi', cpu: '1' } },
    field: 'spec',
  },
  {
    title: 'rejects a change of the limits when the claim is bound',
    phase: 'Bound',
    resources: { requests: { storage: '1Gi' }, limits: { storage: '3Gi' } },
    field: 'spec',
  },
];

it.each(CASES)('an update of a PersistentVolumeClaim $title', async ({ phase, resources, field }) => {
  const fixture = await openWriteFixture();
  const { object } = await fixture.create('persistentvolumeclaims', {
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await fixture.cache.catchUp();
  await fixture.update('persistentvolumeclaims', 'c', { ...object, status: { phase } }, { subresource: 'status' });
  await fixture.cache.catchUp();
  const changed = fixture.update('persistentvolumeclaims', 'c', {
    metadata: { name: 'c' },
    spec: { ...objectAt(object, 'spec'), resources },
  });
  if (field === undefined) await expect(changed).resolves.toBeDefined();
  else await expect(changed).rejects.toMatchObject({ status: { details: { causes: [{ field }] } } });
});
