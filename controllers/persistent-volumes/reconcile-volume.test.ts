import type { CoreV1PersistentVolumeSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { markedClaim, markedVolume } from './in-tree-plugins';
import { reconcileVolume } from './reconcile-volume';
import { storageNames } from './storage-names';
import type { Volume } from './storage-objects';

const NAMES = storageNames(GENERATED_NAMES.platform);
const FINALIZER = 'platform.io/pv-controller';
const BOUND = { claimRef: { namespace: 'n', name: 'c', uid: 'u' } };
const DELETE = { ...BOUND, persistentVolumeReclaimPolicy: 'Delete' };
const provisionedBy = (provisioner: string): MetaV1ObjectMeta => ({ annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } });
const volume = (spec: CoreV1PersistentVolumeSpec = {}, phase = 'Bound', metadata: MetaV1ObjectMeta = {}): Volume =>
  apiObject({ metadata: { name: 'v', ...metadata }, spec, status: { phase } });
const claim = (volumeName: string, uid = 'u', volumeMode = 'Filesystem'): Claim =>
  apiObject({ metadata: { namespace: 'n', name: 'c', uid }, spec: { volumeName, volumeMode } });

describe('reconcileVolume', () => {
  test('makes a volume Available when it has no claimRef, or one without a uid', () => {
    for (const spec of [{}, { claimRef: { namespace: 'n', name: 'c' } }]) {
      expect(reconcileVolume(volume(spec), claim('v'))).toEqual({ phase: { name: 'Available' } });
    }
  });

  test('makes a volume Bound when its claim names it, and enqueues a claim that names no volume yet', () => {
    expect(reconcileVolume(volume(BOUND), claim('v'))).toEqual({ phase: { name: 'Bound' } });
    expect(reconcileVolume(volume(BOUND), claim(''))).toEqual({ enqueuesClaim: true });
  });

  test('reports a claim of another volumeMode about both', () => {
    const decision = reconcileVolume(volume(BOUND), claim('', 'u', 'Block'));
    expect(decision).toMatchObject({ event: { reason: 'VolumeMismatch' }, isAboutClaim: true });
  });

  test('releases a volume when its claim is deleted, or created again', () => {
    for (const observed of [undefined, claim('v', 'later')]) {
      expect(reconcileVolume(volume(BOUND), observed)).toEqual({ phase: { name: 'Released' } });
    }
  });

  test('makes a volume Available again when its claim is bound to another one', () => {
    expect(reconcileVolume(volume(DELETE), claim('other'))).toEqual({ unbinds: true, phase: { name: 'Available' } });
  });

  test('releases a provisioned volume with the policy Delete when its claim is bound to another one', () => {
    expect(reconcileVolume(volume(DELETE, 'Bound', provisionedBy('example.com/p')), claim('other'))).toEqual({
      phase: { name: 'Released' },
    });
  });

  test.each<[string, Volume]>([
    ['with the policy Retain', volume({ ...BOUND, persistentVolumeReclaimPolicy: 'Retain' }, 'Released')],
    ['of an external provisioner', volume(DELETE, 'Released', provisionedBy('example.com/p'))],
    ['of a plug-in that a driver replaced', volume(DELETE, 'Released', provisionedBy('kubernetes.io/gce-pd'))],
    ['of a CSI driver', volume({ ...DELETE, csi: { driver: 'd', volumeHandle: 'h' } }, 'Released')],
  ])('leaves a released volume %s to others', (_, released) => {
    expect(reconcileVolume(released, undefined)).toEqual({});
  });

  test.each<[string, Volume, string, string]>([
    [
      'Recycle',
      volume({ ...BOUND, persistentVolumeReclaimPolicy: 'Recycle' }, 'Released'),
      'VolumeFailedRecycle',
      'No recycler plugin found for the volume!',
    ],
    [
      'Delete',
      volume(DELETE, 'Released'),
      'VolumeFailedDelete',
      'error getting deleter volume plugin for volume "v": no volume plugin matched',
    ],
    [
      'Delete and a hostPath',
      volume({ ...DELETE, hostPath: { path: '/x' } }, 'Released'),
      'VolumeFailedDelete',
      'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    [
      'Delete and a missing plug-in',
      volume(DELETE, 'Released', provisionedBy('kubernetes.io/x')),
      'VolumeFailedDelete',
      'no volume plugin matched name: kubernetes.io/x',
    ],
  ])('fails a released volume with the policy %s', (_, released, reason, message) => {
    expect(reconcileVolume(released, undefined)).toEqual({
      phase: { name: 'Failed', message },
      event: { type: 'Warning', reason, message },
    });
  });
});

describe('markedVolume', () => {
  const marked = (spec: CoreV1PersistentVolumeSpec, metadata: MetaV1ObjectMeta) =>
    markedVolume(volume(spec, 'Bound', metadata), NAMES)?.metadata;

  test('adds the finalizer to a volume that a plug-in must delete, and removes it when the policy changes', () => {
    const metadata = { ...provisionedBy('kubernetes.io/x'), finalizers: ['a.io/b'] };
    const withFinalizer = { ...metadata, finalizers: ['a.io/b', FINALIZER] };
    expect(marked(DELETE, metadata)).toMatchObject({ finalizers: withFinalizer.finalizers });
    expect(marked(DELETE, withFinalizer)).toBeUndefined();
    expect(marked(BOUND, withFinalizer)).toMatchObject({ finalizers: ['a.io/b'] });
  });

  test('names the driver that replaced the plug-in', () => {
    expect(marked(DELETE, provisionedBy('kubernetes.io/aws-ebs'))?.annotations).toMatchObject({
      'pv.platform.io/migrated-to': 'ebs.csi.aws.com',
    });
  });

  test('leaves volumes of users and of external provisioners alone', () => {
    for (const metadata of [{}, provisionedBy('example.com/p')]) expect(marked(DELETE, metadata)).toBeUndefined();
  });
});

test('markedClaim names the driver that replaced the provisioner of a claim', () => {
  const annotated = (provisioner: string): Claim =>
    apiObject({ metadata: { name: 'c', annotations: { 'volume.beta.kubernetes.io/storage-provisioner': provisioner } } });
  const marked = markedClaim(annotated('kubernetes.io/aws-ebs'), NAMES);
  expect(marked?.metadata?.annotations).toMatchObject({ 'pv.platform.io/migrated-to': 'ebs.csi.aws.com' });
  expect(markedClaim(annotated('example.com/p'), NAMES)).toBeUndefined();
});
