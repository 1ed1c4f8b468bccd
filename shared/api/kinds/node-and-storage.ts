/** Kinds of nodes, scheduling and storage. */
import { rowFactory, STATUS, type KindRow } from './row';

const node = rowFactory('node.platform.io', 'v1', 'node.v1');
const scheduling = rowFactory('scheduling.platform.io', 'v1', 'scheduling.v1');
const storage = rowFactory('storage.platform.io', 'v1', 'storage.v1');

export const NODE_AND_STORAGE_KINDS: readonly KindRow[] = [
  node('RuntimeClass', 'runtimeclasses', {
    allowsUnqualifiedFinalizers: true,
    scope: 'cluster',
    allowsCreateOnUpdate: true,
    requiresResourceVersion: true,
  }),
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
    statusUpdateKeeps: 'metadata',
  }),
];
