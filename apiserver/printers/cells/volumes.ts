/** Cells of storage kinds. */
import { arrayAt, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import {
  annotationAt,
  lengthAt,
  creationAge,
  isBeingDeleted,
  isTrue,
  nameOf,
  objectsAt,
  scalarText,
  textsAt,
  UNSET,
  type PrintCells,
} from '../table/cell';
import type { Cell } from '../table/convertor';

export const VOLUME_CELLS: Readonly<Record<string, PrintCells>> = {
  CSIDriver: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      nameOf(object),
      own(spec ?? {}, 'attachRequired') !== false,
      isTrue(spec, 'podInfoOnMount'),
      isTrue(spec, 'storageCapacity'),
      arrayAt(spec, 'tokenRequests') === undefined
        ? UNSET
        : objectsAt(spec, 'tokenRequests')
            .map((request) => stringAt(request, 'audience') ?? '')
            .join(','),
      isTrue(spec, 'requiresRepublish'),
      textsAt(spec, 'volumeLifecycleModes').join(',') || NO_MODES,
      creationAge(object),
    ];
  },
  CSINode: (object) => [nameOf(object), lengthAt(objectAt(object, 'spec'), 'drivers'), creationAge(object)],
  PersistentVolume: (object) => {
    const spec = objectAt(object, 'spec');
    const status = objectAt(object, 'status');
    return [
      nameOf(object),
      stringAt(objectAt(spec, 'capacity'), 'storage') ?? '0',
      accessModes(spec),
      stringAt(spec, 'persistentVolumeReclaimPolicy') ?? '',
      phaseText(object),
      claimText(objectAt(spec, 'claimRef')),
      storageClassOf(object),
      stringAt(spec, 'volumeAttributesClassName') ?? UNSET,
      stringAt(status, 'reason') ?? '',
      creationAge(object),
      stringAt(spec, 'volumeMode') ?? UNSET,
    ];
  },
  PersistentVolumeClaim: claimCells,
  StorageClass: (object) => {
    const isDefault = DEFAULT_ANNOTATIONS.some((defaultAnnotation) => annotationAt(object, defaultAnnotation) === 'true');
    return [
      isDefault ? `${nameOf(object)} (default)` : nameOf(object),
      stringAt(object, 'provisioner') ?? '',
      stringAt(object, 'reclaimPolicy') ?? 'Delete',
      stringAt(object, 'volumeBindingMode') ?? UNSET,
      isTrue(object, 'allowVolumeExpansion'),
      creationAge(object),
    ];
  },
  VolumeAttachment: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      nameOf(object),
      stringAt(spec, 'attacher') ?? '',
      stringAt(objectAt(spec, 'source'), 'persistentVolumeName') ?? '',
      stringAt(spec, 'nodeName') ?? '',
      isTrue(objectAt(object, 'status'), 'attached'),
      creationAge(object),
    ];
  },
};

const NO_MODES = '<none>';
const DEFAULT_ANNOTATIONS = ['storageclass.platform.io/is-default-class', 'storageclass.beta.platform.io/is-default-class'];

/** In display order. */
const ACCESS_MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModes(owner: JsonObject | undefined): string {
  const modes = new Set(textsAt(owner, 'accessModes'));
  return ACCESS_MODES.filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',');
}

function phaseText(object: JsonObject): string {
  return isBeingDeleted(object) ? 'Terminating' : (stringAt(objectAt(object, 'status'), 'phase') ?? '');
}

function claimText(claim: JsonObject | undefined): string {
  return claim === undefined ? '' : `${stringAt(claim, 'namespace') ?? ''}/${stringAt(claim, 'name') ?? ''}`;
}

/** The beta annotation takes precedence over the field. */
function storageClassOf(object: JsonObject): string {
  return annotationAt(object, 'volume.beta.platform.io/storage-class') ?? stringAt(objectAt(object, 'spec'), 'storageClassName') ?? '';
}

function claimCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const volume = stringAt(spec, 'volumeName') ?? '';
  const isBound = volume !== '';
  return [
    nameOf(object),
    phaseText(object),
    volume,
    isBound ? (scalarText(objectAt(status, 'capacity'), 'storage') ?? '0') : '',
    isBound ? accessModes(status) : '',
    storageClassOf(object),
    stringAt(spec, 'volumeAttributesClassName') ?? UNSET,
    creationAge(object),
    stringAt(spec, 'volumeMode') ?? UNSET,
  ];
}
