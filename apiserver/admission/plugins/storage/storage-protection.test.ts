/** Finalizers of new PersistentVolumes and PersistentVolumeClaims; every expectation was observed at release 1.31.1. */
import { openWriteFixture } from '../../../../test/support/store/write-fixture';
import { objectAt, type JsonObject } from '../../../../shared/values/json';

const CLAIM_SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const VOLUME_SPEC = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };

it.each<[resource: string, title: string, metadata: JsonObject, finalizers: readonly string[]]>([
  ['persistentvolumeclaims', 'without finalizers', {}, ['platform.io/pvc-protection']],
  ['persistentvolumes', 'without finalizers', {}, ['platform.io/pv-protection']],
  ['persistentvolumeclaims', 'with another finalizer', { finalizers: ['a.io/x'] }, ['a.io/x', 'platform.io/pvc-protection']],
  [
    'persistentvolumeclaims',
    'with the protection finalizer',
    { finalizers: ['platform.io/pvc-protection', 'a.io/x'] },
    ['platform.io/pvc-protection', 'a.io/x'],
  ],
  [
    'persistentvolumeclaims',
    'with the protection finalizer in the other spelling',
    { finalizers: ['kubernetes.io/pvc-protection'] },
    ['kubernetes.io/pvc-protection'],
  ],
])('StorageObjectInUseProtection adds its finalizer once to %s created %s', async (resource, _title, metadata, finalizers) => {
  const { create } = await openWriteFixture();
  const spec = resource === 'persistentvolumes' ? VOLUME_SPEC : CLAIM_SPEC;
  const { object } = await create(resource, { metadata: { name: 'o', ...metadata }, spec });
  const stored = objectAt(object, 'metadata') ?? {};
  expect(stored['finalizers']).toEqual(finalizers);
  // Only finalizers of the client have a field manager.
  const managedFields = JSON.stringify(stored['managedFields']);
  expect(managedFields.includes('f:finalizers')).toBe('finalizers' in metadata);
});
