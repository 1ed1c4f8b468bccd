/** Cells of volumes and of what provides them. */
import { arrayAt, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { annotation, count, created, isBeingDeleted, isTrue, name, objects, scalarText, texts, UNSET, type Cells } from '../table/cell';
import type { Cell } from '../table/printer';

export const VOLUME_CELLS: Readonly<Record<string, Cells>> = {
  CSIDriver: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      name(object),
      own(spec ?? {}, 'attachRequired') !== false,
      isTrue(spec, 'podInfoOnMount'),
      isTrue(spec, 'storageCapacity'),
      arrayAt(spec, 'tokenRequests') === undefined
        ? UNSET
        : objects(spec, 'tokenRequests')
            .map((request) => stringAt(request, 'audience') ?? '')
            .join(','),
      isTrue(spec, 'requiresRepublish'),
      texts(spec, 'volumeLifecycleModes').join(',') || NO_MODES,
      created(object),
    ];
  },
  CSINode: (object) => [name(object), count(objectAt(object, 'spec'), 'drivers'), created(object)],
  PersistentVolume: (object) => {
    const spec = objectAt(object, 'spec');
    const status = objectAt(object, 'status');
    return [
      name(object),
      stringAt(objectAt(spec, 'capacity'), 'storage') ?? '0',
      accessModes(spec),
      stringAt(spec, 'persistentVolumeReclaimPolicy') ?? '',
      phase(object),
      claimText(objectAt(spec, 'claimRef')),
      storageClass(object),
      stringAt(spec, 'volumeAttributesClassName') ?? UNSET,
      stringAt(status, 'reason') ?? '',
      created(object),
      stringAt(spec, 'volumeMode') ?? UNSET,
    ];
  },
  PersistentVolumeClaim: claimCells,
  StorageClass: (object) => {
    const marked = DEFAULT_MARKS.some((mark) => annotation(object, mark) === 'true');
    return [
      marked ? `${name(object)} (default)` : name(object),
      stringAt(object, 'provisioner') ?? '',
      stringAt(object, 'reclaimPolicy') ?? 'Delete',
      stringAt(object, 'volumeBindingMode') ?? UNSET,
      isTrue(object, 'allowVolumeExpansion'),
      created(object),
    ];
  },
  VolumeAttachment: (object) => {
    const spec = objectAt(object, 'spec');
    return [
      name(object),
      stringAt(spec, 'attacher') ?? '',
      stringAt(objectAt(spec, 'source'), 'persistentVolumeName') ?? '',
      stringAt(spec, 'nodeName') ?? '',
      isTrue(objectAt(object, 'status'), 'attached'),
      created(object),
    ];
  },
};

const NO_MODES = '<none>';
const DEFAULT_MARKS = ['storageclass.platform.io/is-default-class', 'storageclass.beta.platform.io/is-default-class'];

/** In the order in which they are shown. */
const ACCESS_MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModes(owner: JsonObject | undefined): string {
  const modes = new Set(texts(owner, 'accessModes'));
  return ACCESS_MODES.filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',');
}

function phase(object: JsonObject): string {
  return isBeingDeleted(object) ? 'Terminating' : (stringAt(objectAt(object, 'status'), 'phase') ?? '');
}

function claimText(claim: JsonObject | undefined): string {
  return claim === undefined ? '' : `${stringAt(claim, 'namespace') ?? ''}/${stringAt(claim, 'name') ?? ''}`;
}

/** An old annotation goes before the member. */
function storageClass(object: JsonObject): string {
  return annotation(object, 'volume.beta.platform.io/storage-class') ?? stringAt(objectAt(object, 'spec'), 'storageClassName') ?? '';
}

function claimCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const volume = stringAt(spec, 'volumeName') ?? '';
  const isBound = volume !== '';
  return [
    name(object),
    phase(object),
    volume,
    isBound ? (scalarText(objectAt(status, 'capacity'), 'storage') ?? '0') : '',
    isBound ? accessModes(status) : '',
    storageClass(object),
    stringAt(spec, 'volumeAttributesClassName') ?? UNSET,
    created(object),
    stringAt(spec, 'volumeMode') ?? UNSET,
  ];
}
