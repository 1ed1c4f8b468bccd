/** Annotations and finalizers of volumes, claims and classes. Read in both spellings, written in the server's own. */
import { canonicalQualifiedName, GENERATED_NAMES, groupInDialect, type GeneratedNames } from '../../shared/names/dialect';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { BETA_STORAGE_CLASS, DEFAULT_STORAGE_CLASS, isMarkedDefault } from '../../shared/names/storage';

/** The names in one dialect. */
export interface StorageNames {
  /** On a claim: it was bound completely. */
  readonly bindCompleted: string;
  /** On a volume or a claim: the binder chose the other one, not a user. */
  readonly boundByController: string;
  /** On a volume: the provisioner that created it. */
  readonly provisionedBy: string;
  /** The CSI driver that replaced the plug-in of a volume, or the provisioner of a claim. */
  readonly migratedTo: string;
  /** On a claim: the node of its first consumer, from the scheduler. */
  readonly selectedNode: string;
  /** On a claim: the program that must create its volume. */
  readonly provisioner: string;
  /** As `provisioner`, under its name of earlier releases, which provisioners still read. */
  readonly betaProvisioner: string;
  /** On a volume: a plug-in must delete its storage before the volume is removed. */
  readonly finalizer: string;
  /** The qualified resource of StorageClasses, for messages. */
  readonly classResource: string;
}

/** The names with the prefix of a dialect, for writing. */
export const storageNames = ({ prefix, dialect }: Pick<GeneratedNames, 'prefix' | 'dialect'>): StorageNames => ({
  bindCompleted: `pv.${prefix}/bind-completed`,
  boundByController: `pv.${prefix}/bound-by-controller`,
  provisionedBy: `pv.${prefix}/provisioned-by`,
  migratedTo: `pv.${prefix}/migrated-to`,
  selectedNode: `volume.${prefix}/selected-node`,
  provisioner: `volume.${prefix}/storage-provisioner`,
  betaProvisioner: `volume.beta.${prefix}/storage-provisioner`,
  finalizer: `${prefix}/pv-controller`,
  classResource: `storageclass.${groupInDialect(dialect, 'storage.platform.io')}`,
});

/** The names in canonical spelling, for reading. */
export const STORAGE_NAMES = storageNames(GENERATED_NAMES.platform);
/** Provisioners with this prefix are plug-ins of the controller itself, of which this one has none. */
const IN_TREE_PREFIX = 'platform.io/';

interface HasAnnotations {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The value of the annotation in either spelling. `name`: in canonical spelling. */
export const annotationOf = ({ metadata }: HasAnnotations, name: string): string | undefined =>
  valueInEitherSpelling(metadata.annotations ?? {}, name);

/** The class in the annotation that preceded `storageClassName`, and that takes precedence over it. */
export const betaClassOf = (object: HasAnnotations): string | undefined => annotationOf(object, BETA_STORAGE_CLASS);

/** Whether the annotation of a class marks it as the default one. */
export const isDefaultClass = ({ metadata }: HasAnnotations): boolean => isMarkedDefault(metadata.annotations ?? {}, DEFAULT_STORAGE_CLASS);

/** Whether the provisioner is a plug-in of the controller itself, rather than another program. */
export const isInTree = (provisioner: string): boolean => canonicalQualifiedName(provisioner).startsWith(IN_TREE_PREFIX);
