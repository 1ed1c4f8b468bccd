import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { markedClaim, markedVolume } from './in-tree-plugins';
import { storageNames } from './storage-names';
import type { Volume } from './storage-objects';

const NAMES = storageNames(GENERATED_NAMES.platform);
/** The finalizer of a volume that a plug-in must delete. */
const FINALIZER = 'platform.io/pv-controller';
const FINALIZER_OF_OTHERS = 'a.io/b';
/** The mark of a volume or claim: the CSI driver that replaced its plug-in. */
const MIGRATED_TO = 'pv.platform.io/migrated-to';

/** An in-tree plug-in that this controller does not contain. */
const MISSING_PLUGIN = 'kubernetes.io/x';
/** An in-tree plug-in that a CSI driver replaced, and this driver. */
const REPLACED_PLUGIN = 'kubernetes.io/aws-ebs';
const CSI_DRIVER = 'ebs.csi.aws.com';
/** A program that creates and deletes volumes itself. */
const EXTERNAL_PROVISIONER = 'example.com/p';

interface VolumeFixture {
  /** The provisioner that created the volume; none by default. */
  readonly provisionedBy?: string;
  readonly policy?: 'Retain' | 'Delete';
  readonly finalizers?: string[];
}

const volume = ({ provisionedBy, policy = 'Delete', finalizers = [] }: VolumeFixture): Volume =>
  apiObject({
    metadata: {
      name: 'v',
      finalizers,
      ...(provisionedBy === undefined ? {} : { annotations: { 'pv.kubernetes.io/provisioned-by': provisionedBy } }),
    },
    spec: { persistentVolumeReclaimPolicy: policy },
  });

describe('markedVolume', () => {
  const marked = (fixture: VolumeFixture) => markedVolume(volume(fixture), NAMES)?.metadata;

  test('adds the finalizer to a volume that a plug-in must delete', () => {
    expect(marked({ provisionedBy: MISSING_PLUGIN, finalizers: [FINALIZER_OF_OTHERS] })).toMatchObject({
      finalizers: [FINALIZER_OF_OTHERS, FINALIZER],
    });
  });

  test('leaves a volume with the finalizer unchanged', () => {
    expect(marked({ provisionedBy: MISSING_PLUGIN, finalizers: [FINALIZER_OF_OTHERS, FINALIZER] })).toBeUndefined();
  });

  test('removes the finalizer when the policy is not Delete any more', () => {
    const finalizers = [FINALIZER_OF_OTHERS, FINALIZER];
    expect(marked({ provisionedBy: MISSING_PLUGIN, policy: 'Retain', finalizers })).toMatchObject({ finalizers: [FINALIZER_OF_OTHERS] });
  });

  test('names the CSI driver that replaced the plug-in, and adds no finalizer', () => {
    expect(marked({ provisionedBy: REPLACED_PLUGIN })).toMatchObject({ annotations: { [MIGRATED_TO]: CSI_DRIVER }, finalizers: [] });
  });

  test.each<[string, VolumeFixture]>([
    ['that no provisioner created', {}],
    ['of an external provisioner', { provisionedBy: EXTERNAL_PROVISIONER }],
  ])('leaves a volume %s unchanged', (_, fixture) => {
    expect(marked(fixture)).toBeUndefined();
  });
});

describe('markedClaim', () => {
  const claimOf = (provisioner: string): Claim =>
    apiObject({ metadata: { name: 'c', annotations: { 'volume.beta.kubernetes.io/storage-provisioner': provisioner } } });

  test('names the CSI driver that replaced the provisioner of a claim', () => {
    expect(markedClaim(claimOf(REPLACED_PLUGIN), NAMES)?.metadata?.annotations).toMatchObject({ [MIGRATED_TO]: CSI_DRIVER });
  });

  test('leaves a claim of an external provisioner unchanged', () => {
    expect(markedClaim(claimOf(EXTERNAL_PROVISIONER), NAMES)).toBeUndefined();
  });
});
