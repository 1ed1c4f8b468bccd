/** Columns of volumes and of what provides them. The cells are in ../cells/. */
import { AGE, column, COUNT, NAME, WIDE, YES_OR_NO } from '../table/column';
import type { ColumnDefinition } from '../table/printer';

const VOLUME_MODE = column('VolumeMode', 'Whether it holds a file system or is a bare device.', WIDE);
const STORAGE_CLASS = column('StorageClass', 'The class that it belongs to.');
const ATTRIBUTES_CLASS = column('VolumeAttributesClass', 'The class of its changeable attributes.');
const ACCESS_MODES = column('Access Modes', 'How it can be mounted, in short forms.');

export const VOLUME_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  CSIDriver: [
    NAME,
    column('AttachRequired', 'Whether volumes are attached to a node before use.', YES_OR_NO),
    column('PodInfoOnMount', 'Whether the driver is told about the pod.', YES_OR_NO),
    column('StorageCapacity', 'Whether the driver reports how much room it has.', YES_OR_NO),
    column('TokenRequests', 'The audiences for which it wants tokens of the pod.'),
    column('RequiresRepublish', 'Whether it wants to be called again from time to time.', YES_OR_NO),
    column('Modes', 'The kinds of volumes that it can serve.'),
    AGE,
  ],
  CSINode: [NAME, column('Drivers', 'How many drivers the node has.', COUNT), AGE],
  PersistentVolume: [
    NAME,
    column('Capacity', 'Its size.'),
    ACCESS_MODES,
    column('Reclaim Policy', 'What becomes of it when its claim goes.'),
    column('Status', 'Whether it is free, claimed, left over or broken.'),
    column('Claim', 'The claim that has it.'),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    column('Reason', 'A short word for what is wrong with it.'),
    AGE,
    VOLUME_MODE,
  ],
  PersistentVolumeClaim: [
    NAME,
    column('Status', 'Whether a volume was found for it.'),
    column('Volume', 'The volume that it has.'),
    column('Capacity', 'The size of that volume.'),
    ACCESS_MODES,
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    AGE,
    VOLUME_MODE,
  ],
  StorageClass: [
    NAME,
    column('Provisioner', 'What makes its volumes.'),
    column('ReclaimPolicy', 'What becomes of its volumes when their claims go.'),
    column('VolumeBindingMode', 'When a volume is made for a claim.'),
    column('AllowVolumeExpansion', 'Whether its volumes can grow.'),
    AGE,
  ],
  VolumeAttachment: [
    NAME,
    column('Attacher', 'The driver that does it.', { format: 'name' }),
    column('PV', 'The volume.'),
    column('Node', 'The node that the volume is for.'),
    column('Attached', 'Whether it is attached.', YES_OR_NO),
    AGE,
  ],
};
