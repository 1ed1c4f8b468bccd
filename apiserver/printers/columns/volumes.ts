/** Columns of storage kinds (cells: ../cells/volumes.ts). */
import { AGE, defineColumn, INTEGER, NAME, WIDE, BOOLEAN } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

const VOLUME_MODE = defineColumn('VolumeMode', 'Whether it holds a file system or is a bare device.', WIDE);
const STORAGE_CLASS = defineColumn('StorageClass', 'The class that it belongs to.');
const ATTRIBUTES_CLASS = defineColumn('VolumeAttributesClass', 'The class of its changeable attributes.');
const ACCESS_MODES = defineColumn('Access Modes', 'How it can be mounted, in short forms.');

export const VOLUME_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  CSIDriver: [
    NAME,
    defineColumn('AttachRequired', 'Whether volumes are attached to a node before use.', BOOLEAN),
    defineColumn('PodInfoOnMount', 'Whether the driver is told about the pod.', BOOLEAN),
    defineColumn('StorageCapacity', 'Whether the driver reports how much room it has.', BOOLEAN),
    defineColumn('TokenRequests', 'The audiences for which it wants tokens of the pod.'),
    defineColumn('RequiresRepublish', 'Whether it wants to be called again from time to time.', BOOLEAN),
    defineColumn('Modes', 'The kinds of volumes that it can serve.'),
    AGE,
  ],
  CSINode: [NAME, defineColumn('Drivers', 'How many drivers the node has.', INTEGER), AGE],
  PersistentVolume: [
    NAME,
    defineColumn('Capacity', 'Its size.'),
    ACCESS_MODES,
    defineColumn('Reclaim Policy', 'What becomes of it when its claim goes.'),
    defineColumn('Status', 'Whether it is free, claimed, left over or broken.'),
    defineColumn('Claim', 'The claim that has it.'),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    defineColumn('Reason', 'A short word for what is wrong with it.'),
    AGE,
    VOLUME_MODE,
  ],
  PersistentVolumeClaim: [
    NAME,
    defineColumn('Status', 'Whether a volume was found for it.'),
    defineColumn('Volume', 'The volume that it has.'),
    defineColumn('Capacity', 'The size of that volume.'),
    ACCESS_MODES,
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    AGE,
    VOLUME_MODE,
  ],
  StorageClass: [
    NAME,
    defineColumn('Provisioner', 'What makes its volumes.'),
    defineColumn('ReclaimPolicy', 'What becomes of its volumes when their claims go.'),
    defineColumn('VolumeBindingMode', 'When a volume is made for a claim.'),
    defineColumn('AllowVolumeExpansion', 'Whether its volumes can grow.'),
    AGE,
  ],
  VolumeAttachment: [
    NAME,
    defineColumn('Attacher', 'The driver that does it.', { format: 'name' }),
    defineColumn('PV', 'The volume.'),
    defineColumn('Node', 'The node that the volume is for.'),
    defineColumn('Attached', 'Whether it is attached.', BOOLEAN),
    AGE,
  ],
};
