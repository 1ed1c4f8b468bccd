/** Columns of storage kinds (cells: ../cells/volumes.ts). */
import { AGE, defineColumn, INTEGER, NAME, WIDE, BOOLEAN } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

const VOLUME_MODE = defineColumn('VolumeMode', 'Whether the volume has a file system or is a block device.', WIDE);
const STORAGE_CLASS = defineColumn('StorageClass', 'The storage class.');
const ATTRIBUTES_CLASS = defineColumn('VolumeAttributesClass', 'The VolumeAttributesClass.');
const ACCESS_MODES = defineColumn('Access Modes', 'The access modes, abbreviated.');

/** By kind. */
export const VOLUME_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  CSIDriver: [
    NAME,
    defineColumn('AttachRequired', 'Whether volumes must be attached to a node before they are mounted.', BOOLEAN),
    defineColumn('PodInfoOnMount', 'Whether the driver receives information about the pod at mount.', BOOLEAN),
    defineColumn('StorageCapacity', 'Whether the driver reports its storage capacity.', BOOLEAN),
    defineColumn('TokenRequests', 'The audiences for which the driver needs service account tokens.'),
    defineColumn('RequiresRepublish', 'Whether the driver is called periodically to refresh volumes.', BOOLEAN),
    defineColumn('Modes', 'The supported volume life cycle modes.'),
    AGE,
  ],
  CSINode: [NAME, defineColumn('Drivers', 'The number of drivers on the node.', INTEGER), AGE],
  PersistentVolume: [
    NAME,
    defineColumn('Capacity', 'Its size.'),
    ACCESS_MODES,
    defineColumn('Reclaim Policy', 'What happens to the volume when its claim is deleted.'),
    defineColumn('Status', 'The phase of the volume: available, bound, released or failed.'),
    defineColumn('Claim', 'The bound claim.'),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    defineColumn('Reason', 'The reason of the phase, in CamelCase.'),
    AGE,
    VOLUME_MODE,
  ],
  PersistentVolumeClaim: [
    NAME,
    defineColumn('Status', 'The phase of the claim: pending, bound or lost.'),
    defineColumn('Volume', 'The bound volume.'),
    defineColumn('Capacity', 'The capacity of the bound volume.'),
    ACCESS_MODES,
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    AGE,
    VOLUME_MODE,
  ],
  StorageClass: [
    NAME,
    defineColumn('Provisioner', 'The provisioner of the volumes.'),
    defineColumn('ReclaimPolicy', 'What happens to provisioned volumes when their claims are deleted.'),
    defineColumn('VolumeBindingMode', 'When a claim is bound and its volume provisioned.'),
    defineColumn('AllowVolumeExpansion', 'Whether volumes can be expanded.'),
    AGE,
  ],
  VolumeAttributesClass: [NAME, defineColumn('DriverName', 'The driver that the object is for.'), AGE],
  VolumeAttachment: [
    NAME,
    defineColumn('Attacher', 'The driver that attaches the volume.', { format: 'name' }),
    defineColumn('PV', 'The volume.'),
    defineColumn('Node', 'The node to which the volume is attached.'),
    defineColumn('Attached', 'Whether the volume is attached.', BOOLEAN),
    AGE,
  ],
};
