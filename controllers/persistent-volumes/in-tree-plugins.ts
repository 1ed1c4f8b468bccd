/**
 * Volumes and classes of upstream's in-tree plug-ins, which this controller does not contain: some were replaced by CSI
 * drivers, the others can neither provision nor delete. The functions are pure.
 */
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeSpec,
} from '../../shared/api/types/generated/members';
import { finalizersOf } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { withAnnotations } from './binding';
import { annotationOf, isInTree, STORAGE_NAMES, type StorageNames } from './storage-names';
import { policyOf, type Volume } from './storage-objects';

/** The CSI drivers of plug-ins that they replaced, by the canonical name of the plug-in. */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['platform.io/aws-ebs', 'ebs.csi.aws.com'],
  ['platform.io/azure-disk', 'disk.csi.azure.com'],
  ['platform.io/azure-file', 'file.csi.azure.com'],
  ['platform.io/cinder', 'cinder.csi.openstack.org'],
  ['platform.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['platform.io/portworx-volume', 'pxd.portworx.com'],
  ['platform.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

/** The volume sources that upstream's controllers have a plug-in for, with its name after the prefix. */
const PLUGIN_SOURCES: readonly (readonly [source: keyof CoreV1PersistentVolumeSpec, name: string])[] = [
  ['hostPath', 'host-path'],
  ['nfs', 'nfs'],
];

/**
 * The CSI driver that replaced the plug-in. `undefined` for an external provisioner, and for a plug-in that no driver
 * replaced.
 */
export const csiDriverOf = (provisioner: string): string | undefined => CSI_DRIVERS.get(canonicalQualifiedName(provisioner));

/** Upstream's message about a provisioner or deleter that the controller does not contain. */
export const missingPluginMessage = (provisioner: string): string => `no volume plugin matched name: ${provisioner}`;

/** Whether another program deletes the volume with its storage. */
export function isDeletedExternally(volume: Volume): boolean {
  const provisioner = annotationOf(volume, STORAGE_NAMES.provisionedBy);
  if (provisioner === undefined) return volume.body.spec?.csi !== undefined;
  return !isInTree(provisioner) || csiDriverOf(provisioner) !== undefined;
}

const pluginOf = ({ spec }: CoreV1PersistentVolume): string | undefined =>
  PLUGIN_SOURCES.find(([source]) => spec?.[source] !== undefined)?.[1];

/** The plug-in of a volume in metrics; `N/A` for a volume without one. */
export function pluginNameOf({ body }: Volume, prefix: string): string {
  const plugin = pluginOf(body);
  return plugin === undefined ? 'N/A' : `${prefix}/${plugin}`;
}

/** Why no plug-in can delete the volume. */
export function deletionFailure({ name, body, metadata }: Volume): string {
  const provisioner = annotationOf({ metadata }, STORAGE_NAMES.provisionedBy);
  if (provisioner !== undefined) return missingPluginMessage(provisioner);
  const hasPlugin = pluginOf(body) !== undefined;
  return `error getting deleter volume plugin for volume "${name}": no ${hasPlugin ? 'deletable ' : ''}volume plugin matched`;
}

/**
 * The volume with its marks, or `undefined` when it has them already:
 *
 * - the annotation `migrated-to`, when a driver replaced the plug-in that provisioned it
 * - the finalizer, when a plug-in must delete it; the finalizer is removed from any other volume
 */
export function markedVolume(volume: Volume, names: StorageNames): CoreV1PersistentVolume | undefined {
  const provisioner = annotationOf(volume, STORAGE_NAMES.provisionedBy);
  const driver = provisioner === undefined ? undefined : csiDriverOf(provisioner);
  const needsAnnotation = driver !== undefined && annotationOf(volume, STORAGE_NAMES.migratedTo) !== driver;
  const needsFinalizer = provisioner !== undefined && isInTree(provisioner) && driver === undefined && policyOf(volume) === 'Delete';
  const finalizers = finalizersOf(volume);
  const others = finalizers.filter((finalizer) => canonicalQualifiedName(finalizer) !== STORAGE_NAMES.finalizer);
  const hasFinalizer = others.length < finalizers.length;
  if (!needsAnnotation && needsFinalizer === hasFinalizer) return undefined;
  const metadata = needsAnnotation ? withAnnotations(volume, { [names.migratedTo]: driver }) : volume.metadata;
  const changedFinalizers = needsFinalizer ? [...finalizers, names.finalizer] : others;
  const desired = needsFinalizer === hasFinalizer ? finalizers : changedFinalizers;
  return { ...volume.body, metadata: { ...metadata, finalizers: [...desired] } };
}

/** The claim with the annotation of the driver that replaced its provisioner; `undefined` when the claim needs no change. */
export function markedClaim(claim: Claim, names: StorageNames): CoreV1PersistentVolumeClaim | undefined {
  const provisioner = annotationOf(claim, STORAGE_NAMES.provisioner) ?? annotationOf(claim, STORAGE_NAMES.betaProvisioner) ?? '';
  const driver = csiDriverOf(provisioner);
  if (driver === undefined || annotationOf(claim, STORAGE_NAMES.migratedTo) === driver) return undefined;
  return { ...claim.body, metadata: withAnnotations(claim, { [names.migratedTo]: driver }) };
}
