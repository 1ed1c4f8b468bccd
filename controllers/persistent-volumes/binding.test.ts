import type {
  CoreV1PersistentVolumeClaimSpec,
  CoreV1PersistentVolumeClaimStatus,
  CoreV1PersistentVolumeSpec,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { claimBoundTo, claimInPhase, unboundVolume, volumeBoundTo, volumeInPhase } from './binding';
import { storageNames } from './storage-names';
import type { Volume } from './storage-objects';

const NAMES = storageNames(GENERATED_NAMES.platform);
const BY_CONTROLLER = { annotations: { 'pv.platform.io/bound-by-controller': 'yes' } };
const REFERENCE = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'n', name: 'c', uid: 'u', resourceVersion: '7' };

const volume = (spec: CoreV1PersistentVolumeSpec = {}, metadata: MetaV1ObjectMeta = {}): Volume =>
  apiObject({ metadata: { name: 'v', ...metadata }, spec: { capacity: { storage: '3Gi' }, accessModes: ['ReadWriteOnce'], ...spec } });
const claim = (
  spec: CoreV1PersistentVolumeClaimSpec = {},
  metadata: MetaV1ObjectMeta = {},
  status: CoreV1PersistentVolumeClaimStatus = {},
): Claim => apiObject({ metadata: { namespace: 'n', name: 'c', uid: 'u', resourceVersion: '7', ...metadata }, spec, status });

describe('volumeBoundTo', () => {
  test('refers to the claim and marks the volume as bound by the controller', () => {
    expect(volumeBoundTo(volume(), claim(), NAMES)).toMatchObject({ metadata: BY_CONTROLLER, spec: { claimRef: REFERENCE } });
  });

  test('adds the uid to the claimRef of a reserved volume, without the mark', () => {
    const bound = volumeBoundTo(volume({ claimRef: { namespace: 'n', name: 'c' } }), claim(), NAMES);
    expect(bound?.spec?.claimRef).toEqual(REFERENCE);
    expect(bound?.metadata).toEqual({ name: 'v' });
  });

  test('changes nothing of a volume that is bound to the claim', () => {
    expect(volumeBoundTo(volume({ claimRef: REFERENCE }), claim(), NAMES)).toBeUndefined();
  });
});

describe('claimBoundTo', () => {
  test('names the volume and marks the claim as bound by the controller, completely', () => {
    expect(claimBoundTo(claim(), volume(), NAMES)).toMatchObject({
      metadata: { annotations: { 'pv.platform.io/bind-completed': 'yes', ...BY_CONTROLLER.annotations } },
      spec: { volumeName: 'v' },
    });
  });

  test('marks a claim that names the volume as bound completely only', () => {
    const bound = claimBoundTo(claim({ volumeName: 'v' }), volume(), NAMES);
    expect(bound?.metadata?.annotations).toEqual({ 'pv.platform.io/bind-completed': 'yes' });
  });

  test('changes nothing of a claim with the annotation in the other spelling', () => {
    const bound = claim({ volumeName: 'v' }, { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } });
    expect(claimBoundTo(bound, volume(), NAMES)).toBeUndefined();
  });
});

describe('claimInPhase', () => {
  test('shows the access modes and the capacity of the volume', () => {
    const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '3Gi' } };
    expect(claimInPhase(claim({}, {}, { phase: 'Pending' }), 'Bound', volume())?.status).toEqual(status);
    expect(claimInPhase(claim({}, {}, status), 'Bound', volume())).toBeUndefined();
  });

  test('leaves the capacity of a claim that is bound already to its expansion', () => {
    const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
    expect(claimInPhase(claim({}, {}, status), 'Bound', volume())).toBeUndefined();
  });

  test('removes access modes and capacity from a claim without a volume', () => {
    const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
    expect(claimInPhase(claim({}, {}, status), 'Lost', undefined)?.status).toEqual({ phase: 'Lost' });
  });
});

test('volumeInPhase replaces phase and message, and changes nothing in the same phase', () => {
  const failed = volumeInPhase(volume(), 'Failed', 'no plug-in');
  expect(failed?.status).toEqual({ phase: 'Failed', message: 'no plug-in' });
  const observed: Volume = apiObject({
    ...failed,
    metadata: { name: 'v' },
    status: { phase: 'Failed', message: 'no plug-in', reason: 'r' },
  });
  expect(volumeInPhase(observed, 'Failed', 'other')).toBeUndefined();
  expect(volumeInPhase(observed, 'Available')?.status).toEqual({ phase: 'Available', reason: 'r' });
});

test('unboundVolume removes the claimRef that the controller set, and only the uid from one that a user set', () => {
  const byController = unboundVolume(volume({ claimRef: REFERENCE }, BY_CONTROLLER));
  expect(byController.spec?.claimRef).toBeUndefined();
  expect(byController.metadata?.annotations).toEqual({});
  const { uid: _, ...reserved } = REFERENCE;
  expect(unboundVolume(volume({ claimRef: REFERENCE })).spec?.claimRef).toEqual(reserved);
});
