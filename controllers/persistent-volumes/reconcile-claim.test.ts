import type { CoreV1PersistentVolumeClaim, CoreV1PersistentVolumeSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { reconcileClaim, type ClaimDecision, type ObservedStorage } from './reconcile-claim';
import { storageNames } from './storage-names';
import type { StorageClass, Volume } from './storage-objects';

const NAMES = storageNames(GENERATED_NAMES.platform);
const BOUND = { annotations: { 'pv.platform.io/bind-completed': 'yes' } };

const claim = (spec: CoreV1PersistentVolumeClaim['spec'] = {}, metadata: MetaV1ObjectMeta = {}): Claim =>
  apiObject({
    metadata: { namespace: 'n', name: 'c', uid: 'u', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'm', resources: { requests: { storage: '2Gi' } }, ...spec },
  });
const volume = (spec: CoreV1PersistentVolumeSpec = {}): Volume =>
  apiObject({
    metadata: { name: 'v' },
    spec: { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'm', ...spec },
  });
const storageClass = (provisioner: string, volumeBindingMode = 'Immediate'): StorageClass =>
  apiObject({ metadata: { name: 'm' }, provisioner, volumeBindingMode });
const reference = (uid: string, name = 'c') => ({ claimRef: { namespace: 'n', name, uid } });

interface Observed {
  readonly volume?: Volume;
  readonly match?: Volume;
  readonly storageClass?: StorageClass;
  readonly defaultClass?: StorageClass;
  readonly pods?: readonly string[];
}

function reconcile(observedClaim: Claim, observed: Observed = {}): ClaimDecision {
  const storage: ObservedStorage = {
    volume: (name) => (name === 'v' ? observed.volume : undefined),
    findVolume: (_, { reservedOnly }) => (reservedOnly ? undefined : observed.match),
    storageClass: () => observed.storageClass,
    defaultClass: () => observed.defaultClass,
    unscheduledPods: () => observed.pods ?? [],
  };
  return reconcileClaim(observedClaim, storage, NAMES);
}

const pending = (type: string, reason: string, message: unknown = expect.anything()) => ({
  action: { type: 'phase', phase: 'Pending' },
  event: { type, reason, message },
});

describe('reconcileClaim', () => {
  test('binds a claim to the volume that matches', () => {
    const match = volume();
    expect(reconcile(claim(), { match })).toEqual({ action: { type: 'bind', volume: match } });
  });

  test('binds a claim with a volumeName to a volume that fits, or is reserved for it', () => {
    for (const spec of [{}, reference(''), reference('u'), { ...reference(''), capacity: { storage: '1' } }]) {
      const chosen = volume(spec);
      expect(reconcile(claim({ volumeName: 'v' }), { volume: chosen })).toEqual({ action: { type: 'bind', volume: chosen } });
    }
  });

  test.each([
    ['requested PV is too small', { capacity: { storage: '1Gi' } }],
    ['storageClassName does not match', { storageClassName: 'other' }],
    ['incompatible volumeMode', { volumeMode: 'Block' }],
    ['incompatible accessMode', { accessModes: ['ReadOnlyMany'] }],
  ])('reports a volumeName that does not fit: %s', (problem, spec) => {
    const message = `Cannot bind to requested volume "v": ${problem}`;
    expect(reconcile(claim({ volumeName: 'v' }), { volume: volume(spec) })).toEqual(pending('Warning', 'VolumeMismatch', message));
  });

  test('keeps a claim pending while the volume of its volumeName is missing or bound to another claim', () => {
    expect(reconcile(claim({ volumeName: 'v' }))).toEqual({ action: { type: 'phase', phase: 'Pending' } });
    const bound = volume(reference('x', 'other'));
    expect(reconcile(claim({ volumeName: 'v' }), { volume: bound })).toEqual(
      pending('Warning', 'FailedBinding', 'volume "v" already bound to a different claim.'),
    );
  });

  test('completes the binding of a claim that is bound, also when the volume has lost its claimRef', () => {
    for (const spec of [{}, reference('u')]) {
      expect(reconcile(claim({ volumeName: 'v' }, BOUND), { volume: volume(spec) }).action.type).toBe('bind');
    }
  });

  test.each([
    ['ClaimLost', { volumeName: 'v' }, undefined],
    ['ClaimLost', {}, volume()],
    ['ClaimMisbound', { volumeName: 'v' }, volume(reference('x', 'other'))],
  ])('reports %s once for a bound claim that lost its volume', (reason, spec, observedVolume) => {
    expect(reconcile(claim(spec, BOUND), observedVolume === undefined ? {} : { volume: observedVolume })).toMatchObject({
      action: { type: 'phase', phase: 'Lost' },
      event: { type: 'Warning', reason },
      reportsTransition: true,
    });
  });

  test('lets a claim wait for its first consumer until a node is selected', () => {
    const observed = { match: volume(), storageClass: storageClass('example.com/p', 'WaitForFirstConsumer') };
    expect(reconcile(claim(), observed)).toEqual(pending('Normal', 'WaitForFirstConsumer'));
    expect(reconcile(claim(), { ...observed, pods: ['a'] })).toEqual(
      pending('Normal', 'WaitForPodScheduled', 'waiting for pod a to be scheduled'),
    );
    expect(reconcile(claim(), { ...observed, pods: ['a', 'b'] })).toEqual(
      pending('Normal', 'WaitForPodScheduled', 'waiting for pods a,b to be scheduled'),
    );
    const selected = claim({}, { annotations: { 'volume.kubernetes.io/selected-node': 'x' } });
    expect(reconcile(selected, observed).action.type).toBe('update');
  });

  test('assigns a claim to the external provisioner of its class, then reports that it waits for it', () => {
    const observed = { storageClass: storageClass('example.com/p') };
    const { action, event } = reconcile(claim(), observed);
    expect(event).toBeUndefined();
    const annotations = {
      'volume.beta.platform.io/storage-provisioner': 'example.com/p',
      'volume.platform.io/storage-provisioner': 'example.com/p',
    };
    expect(action).toMatchObject({ type: 'update', body: { metadata: { annotations } } });
    expect(reconcile(claim({}, { annotations }), observed)).toMatchObject({
      action: { type: 'none' },
      event: { reason: 'ExternalProvisioning' },
    });
  });

  test.each(['kubernetes.io/aws-ebs', 'platform.io/aws-ebs'])(
    'assigns a claim of the class of %s to the CSI driver that replaced it',
    (provisioner) => {
      const annotations = { 'volume.platform.io/storage-provisioner': 'ebs.csi.aws.com' };
      expect(reconcile(claim(), { storageClass: storageClass(provisioner) }).action).toMatchObject({ body: { metadata: { annotations } } });
    },
  );

  test.each([
    ['a class that does not exist', {}, 'storageclass.storage.platform.io "m" not found'],
    [
      'a class without a provisioner',
      { storageClass: storageClass('kubernetes.io/no-provisioner') },
      'no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
  ])('reports a claim of %s', (_, observed, message) => {
    expect(reconcile(claim(), observed)).toEqual({
      action: { type: 'none' },
      event: { type: 'Warning', reason: 'ProvisioningFailed', message },
    });
  });

  test('gives the default class to a claim without a class only', () => {
    const withoutClass = apiObject<CoreV1PersistentVolumeClaim>({ metadata: { name: 'c' }, spec: {} });
    const defaultClass = storageClass('example.com/p');
    expect(reconcile(withoutClass, { defaultClass }).action).toMatchObject({
      type: 'assign-class',
      body: { spec: { storageClassName: 'm' } },
    });
    const failed = pending('Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
    expect(reconcile(withoutClass)).toEqual(failed);
    expect(reconcile(claim({ storageClassName: '' }), { defaultClass })).toEqual(failed);
    const annotated = claim({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': '' } });
    expect(reconcile(annotated, { defaultClass })).toEqual(failed);
  });
});
