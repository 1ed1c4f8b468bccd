import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeStatus,
  CoreV1Pod,
  CoreV1PodSpec,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { isBound, podUsesClaim, reconcileFinalizer } from './reconcile';

const FINALIZER = 'platform.io/pvc-protection';
const claim = (metadata: MetaV1ObjectMeta) =>
  apiObject<CoreV1PersistentVolumeClaim>({ metadata: { name: 'c', namespace: 'n', ...metadata }, spec: { volumeName: 'v' } });
const terminating = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test.each<[string, MetaV1ObjectMeta, string, readonly string[] | undefined]>([
  ['appends the finalizer to an object without it', { finalizers: ['a.io/b'] }, 'add', ['a.io/b', FINALIZER]],
  ['does nothing for an object with the finalizer', { finalizers: [FINALIZER] }, 'none', undefined],
  [
    'does nothing for an object with the finalizer in the other spelling',
    { finalizers: ['kubernetes.io/pvc-protection'] },
    'none',
    undefined,
  ],
  [
    'removes the finalizer from an object that is being deleted',
    { ...terminating, finalizers: ['a.io/b', FINALIZER] },
    'remove',
    ['a.io/b'],
  ],
  [
    'removes the finalizer in both spellings from an object that is being deleted',
    { ...terminating, finalizers: ['kubernetes.io/pvc-protection', FINALIZER] },
    'remove',
    [],
  ],
  ['does nothing for an object without the finalizer that is being deleted', { ...terminating, finalizers: ['a.io/b'] }, 'none', undefined],
])('reconcileFinalizer %s', (_, metadata, type, finalizers) => {
  const action = reconcileFinalizer(claim(metadata), FINALIZER);
  const { body } = claim({ ...metadata, finalizers: [...(finalizers ?? [])] });
  expect(action).toEqual(finalizers === undefined ? { type } : { type, body });
});

const volumes = [
  { name: 'a', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'b', ephemeral: {} },
  { name: 'd', emptyDir: {} },
];
const pod = (spec: CoreV1PodSpec, phase = 'Running'): Pod =>
  apiObject<CoreV1Pod>({ metadata: { name: 'p' }, spec: { volumes, ...spec }, status: { phase } });

test.each<[string, Pod, string, boolean]>([
  ['returns true for a claim in the volumes of a scheduled pod', pod({ nodeName: 'n' }), 'c', true],
  ['returns true for the claim of an ephemeral volume', pod({ nodeName: 'n' }), 'p-b', true],
  ['returns false for a volume of another type', pod({ nodeName: 'n' }), 'p-d', false],
  ['returns true for a finished pod', pod({ nodeName: 'n' }, 'Succeeded'), 'c', true],
  ['returns false for a pod without a node', pod({}), 'c', false],
  ['returns false for a pod with an empty node name', pod({ nodeName: '' }), 'c', false],
  ['returns false for a pod without volumes', pod({ nodeName: 'n', volumes: [] }), 'c', false],
])('podUsesClaim %s', (_, user, name, expected) => expect(podUsesClaim(user, name)).toBe(expected));

test('isBound is true only for a volume in the phase Bound', () => {
  const volume = (status: CoreV1PersistentVolumeStatus) => apiObject<CoreV1PersistentVolume>({ metadata: { name: 'v' }, status });
  expect(isBound(volume({ phase: 'Bound' }))).toBe(true);
  for (const status of [{}, { phase: 'Available' }, { phase: 'Released' }]) expect(isBound(volume(status))).toBe(false);
});
