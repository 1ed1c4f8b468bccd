import type { CoreV1ObjectReference, CoreV1PersistentVolumeSpec } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { reconcileVolume } from './reconcile-volume';
import type { Volume } from './storage-objects';

/** An in-tree plug-in that this controller does not contain. */
const MISSING_PLUGIN = 'kubernetes.io/x';
/** An in-tree plug-in that a CSI driver replaced. */
const REPLACED_PLUGIN = 'kubernetes.io/gce-pd';
/** A program that creates and deletes volumes itself. */
const EXTERNAL_PROVISIONER = 'example.com/p';

interface VolumeFixture {
  readonly claimRef?: CoreV1ObjectReference;
  readonly policy?: 'Retain' | 'Delete' | 'Recycle';
  readonly phase?: string;
  /** The provisioner that created the volume; none by default. */
  readonly provisionedBy?: string;
  readonly source?: Pick<CoreV1PersistentVolumeSpec, 'csi' | 'hostPath'>;
}

const volume = ({ claimRef, policy = 'Retain', phase = 'Bound', provisionedBy, source = {} }: VolumeFixture): Volume =>
  apiObject({
    metadata: {
      name: 'v',
      ...(provisionedBy === undefined ? {} : { annotations: { 'pv.kubernetes.io/provisioned-by': provisionedBy } }),
    },
    spec: { persistentVolumeReclaimPolicy: policy, ...(claimRef === undefined ? {} : { claimRef }), ...source },
    status: { phase },
  });

/** A volume that is bound to {@link claim}. */
const boundVolume = (fixture: VolumeFixture = {}): Volume => volume({ claimRef: { namespace: 'n', name: 'c', uid: 'u' }, ...fixture });
/** A volume that a sync has released because its claim does not exist any more. */
const releasedVolume = (fixture: VolumeFixture): Volume => boundVolume({ phase: 'Released', ...fixture });

/** A claim that is bound to the volume `v` by default; `volumeName: ''` for one that names no volume yet. */
const claim = ({ volumeName = 'v', uid = 'u', volumeMode = 'Filesystem' } = {}): Claim =>
  apiObject({ metadata: { namespace: 'n', name: 'c', uid }, spec: { volumeName, volumeMode } });

describe('reconcileVolume', () => {
  test.each([
    ['has no claimRef', {}],
    ['has a claimRef without a uid', { claimRef: { namespace: 'n', name: 'c' } }],
  ])('makes a volume Available when it %s', (_, fixture) => {
    expect(reconcileVolume(volume(fixture), claim())).toEqual({ phase: { name: 'Available' } });
  });

  test('makes a volume Bound when its claim names it', () => {
    expect(reconcileVolume(boundVolume(), claim())).toEqual({ phase: { name: 'Bound' } });
  });

  test('enqueues a claim that names no volume yet', () => {
    expect(reconcileVolume(boundVolume(), claim({ volumeName: '' }))).toEqual({ enqueuesClaim: true });
  });

  test('reports a claim of another volumeMode on both the volume and the claim', () => {
    const decision = reconcileVolume(boundVolume(), claim({ volumeName: '', volumeMode: 'Block' }));
    expect(decision).toMatchObject({ event: { reason: 'VolumeMismatch' }, isAboutClaim: true });
  });

  test.each([
    ['does not exist any more', undefined],
    ['was created again', claim({ uid: 'later' })],
  ])('releases a volume when its claim %s', (_, observedClaim) => {
    expect(reconcileVolume(boundVolume(), observedClaim)).toEqual({ phase: { name: 'Released' } });
  });

  describe('when the claim is bound to another volume', () => {
    const elsewhere = claim({ volumeName: 'other' });

    test.each<[string, VolumeFixture]>([
      ['that no provisioner created', { policy: 'Delete' }],
      ['that a provisioner created with the policy Retain', { policy: 'Retain', provisionedBy: EXTERNAL_PROVISIONER }],
    ])('makes a volume %s Available again', (_, fixture) => {
      expect(reconcileVolume(boundVolume(fixture), elsewhere)).toEqual({ unbinds: true, phase: { name: 'Available' } });
    });

    test('releases a volume that a provisioner created with the policy Delete', () => {
      const provisioned = boundVolume({ policy: 'Delete', provisionedBy: EXTERNAL_PROVISIONER });
      expect(reconcileVolume(provisioned, elsewhere)).toEqual({ phase: { name: 'Released' } });
    });
  });

  test('retains a released volume with the policy Retain', () => {
    expect(reconcileVolume(releasedVolume({ policy: 'Retain' }), undefined)).toEqual({});
  });

  test.each<[string, VolumeFixture]>([
    ['an external provisioner', { provisionedBy: EXTERNAL_PROVISIONER }],
    ['a plug-in that a CSI driver replaced', { provisionedBy: REPLACED_PLUGIN }],
    ['a CSI driver', { source: { csi: { driver: 'd', volumeHandle: 'h' } } }],
  ])('leaves the deletion of a released volume of %s to that program', (_, fixture) => {
    expect(reconcileVolume(releasedVolume({ policy: 'Delete', ...fixture }), undefined)).toEqual({});
  });

  test.each<[string, VolumeFixture, string]>([
    ['without a source', {}, 'error getting deleter volume plugin for volume "v": no volume plugin matched'],
    [
      'with a hostPath',
      { source: { hostPath: { path: '/x' } } },
      'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    ['of a missing plug-in', { provisionedBy: MISSING_PLUGIN }, `no volume plugin matched name: ${MISSING_PLUGIN}`],
  ])('fails to delete a released volume %s', (_, fixture, message) => {
    expect(reconcileVolume(releasedVolume({ policy: 'Delete', ...fixture }), undefined)).toEqual({
      phase: { name: 'Failed', message },
      event: { type: 'Warning', reason: 'VolumeFailedDelete', message },
    });
  });

  test('fails to recycle a released volume', () => {
    const message = 'No recycler plugin found for the volume!';
    expect(reconcileVolume(releasedVolume({ policy: 'Recycle' }), undefined)).toEqual({
      phase: { name: 'Failed', message },
      event: { type: 'Warning', reason: 'VolumeFailedRecycle', message },
    });
  });
});
