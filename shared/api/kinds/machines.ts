/** The kinds that say what machines, disks and pods' places there are. */
import { rowsOf, STATUS, type KindRow } from './row';

const node = rowsOf('node.platform.io', 'v1', 'node.v1');
const scheduling = rowsOf('scheduling.platform.io', 'v1', 'scheduling.v1');
const storage = rowsOf('storage.platform.io', 'v1', 'storage.v1');

export const MACHINES: readonly KindRow[] = [
  node('RuntimeClass', 'runtimeclasses', { looseFinalizers: true, scope: 'cluster', createOnUpdate: true, requiresResourceVersion: true }),
  scheduling('PriorityClass', 'priorityclasses', { scope: 'cluster', shortNames: ['pc'], generation: 'fixed' }),
  storage('CSIDriver', 'csidrivers', {
    scope: 'cluster',
    returnsDeletedObject: true,
    requiresResourceVersion: true,
    generation: 'counted-from-none',
  }),
  storage('CSINode', 'csinodes', { scope: 'cluster', returnsDeletedObject: true, requiresResourceVersion: true }),
  storage('CSIStorageCapacity', 'csistoragecapacities', { requiresResourceVersion: true }),
  storage('StorageClass', 'storageclasses', { scope: 'cluster', shortNames: ['sc'], returnsDeletedObject: true }),
  storage('VolumeAttachment', 'volumeattachments', {
    scope: 'cluster',
    subresources: [STATUS],
    returnsDeletedObject: true,
    requiresResourceVersion: true,
    statusKeeps: 'metadata',
  }),
];
