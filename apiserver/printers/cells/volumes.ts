/**
 * Cells of storage kinds. The cells of an object are in the order of the columns in ../columns/volumes.ts, and are
 * compared with recorded rows.
 */
import type {
  CoreV1ObjectReference,
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
} from '../../../shared/api/types/generated/members';
import { BETA_STORAGE_CLASS, DEFAULT_STORAGE_CLASS } from '../../../shared/names/storage';
import { annotationAt, creationAge, isBeingDeleted, nameOf, NONE, UNSET, type CellTable } from '../table/cell';
import type { Cell } from '../table/convertor';

/** By the type in which objects are stored. */
export const VOLUME_CELLS = {
  'storage.v1.CSIDriver': (object) => {
    const { spec = {} } = object;
    return [
      nameOf(object),
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests === undefined ? UNSET : spec.tokenRequests.map(({ audience = '' }) => audience).join(','),
      spec.requiresRepublish ?? false,
      spec.volumeLifecycleModes?.join(',') || NONE,
      creationAge(object),
    ];
  },
  'storage.v1.CSINode': (object) => [nameOf(object), object.spec?.drivers?.length ?? 0, creationAge(object)],
  'core.v1.PersistentVolume': (object) => {
    const { spec = {}, status = {} } = object;
    return [
      nameOf(object),
      spec.capacity?.['storage'] ?? '0',
      accessModesText(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      phaseText(object),
      claimText(spec.claimRef),
      storageClassOf(object),
      spec.volumeAttributesClassName ?? UNSET,
      status.reason ?? '',
      creationAge(object),
      spec.volumeMode ?? UNSET,
    ];
  },
  'core.v1.PersistentVolumeClaim': claimCells,
  'storage.v1.StorageClass': (object) => {
    const isDefault = DEFAULT_STORAGE_CLASS.some((defaultAnnotation) => annotationAt(object, defaultAnnotation) === 'true');
    return [
      isDefault ? `${nameOf(object)} (default)` : nameOf(object),
      object.provisioner ?? '',
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? UNSET,
      object.allowVolumeExpansion ?? false,
      creationAge(object),
    ];
  },
  'storage.v1beta1.VolumeAttributesClass': (object) => [nameOf(object), object.driverName ?? '', creationAge(object)],
  'storage.v1.VolumeAttachment': (object) => {
    const { attacher = '', source, nodeName = '' } = object.spec ?? {};
    return [nameOf(object), attacher, source?.persistentVolumeName ?? '', nodeName, object.status?.attached ?? false, creationAge(object)];
  },
} satisfies CellTable;

/** The abbreviations of access modes, in the order in which a cell shows them. */
const ACCESS_MODES: readonly { readonly mode: string; readonly abbreviation: string }[] = [
  { mode: 'ReadWriteOnce', abbreviation: 'RWO' },
  { mode: 'ReadOnlyMany', abbreviation: 'ROX' },
  { mode: 'ReadWriteMany', abbreviation: 'RWX' },
  { mode: 'ReadWriteOncePod', abbreviation: 'RWOP' },
];

function accessModesText(modes: readonly string[] = []): string {
  return ACCESS_MODES.filter(({ mode }) => modes.includes(mode))
    .map(({ abbreviation }) => abbreviation)
    .join(',');
}

type Volume = CoreV1PersistentVolume | CoreV1PersistentVolumeClaim;

function phaseText(volume: Volume): string {
  return isBeingDeleted(volume) ? 'Terminating' : (volume.status?.phase ?? '');
}

function claimText(claim: CoreV1ObjectReference | undefined): string {
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`;
}

/** The beta annotation takes precedence over the field. */
function storageClassOf(volume: Volume): string {
  return annotationAt(volume, BETA_STORAGE_CLASS) ?? volume.spec?.storageClassName ?? '';
}

function claimCells(claim: CoreV1PersistentVolumeClaim): Cell[] {
  const { spec = {}, status = {} } = claim;
  const { volumeName = '' } = spec;
  const isBound = volumeName !== '';
  return [
    nameOf(claim),
    phaseText(claim),
    volumeName,
    isBound ? (status.capacity?.['storage'] ?? '0') : '',
    isBound ? accessModesText(status.accessModes) : '',
    storageClassOf(claim),
    spec.volumeAttributesClassName ?? UNSET,
    creationAge(claim),
    spec.volumeMode ?? UNSET,
  ];
}
