/** A claim that is created without a class gets the default one, and a bound claim grows only where its class lets volumes grow. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { compareQuantities } from '../../shared/values/quantity';
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { AdmissionTarget } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { defaultAmong } from './default-class';
import { refused } from './pod-creation';

const MARKS = ['storageclass.platform.io/is-default-class', 'storageclass.beta.platform.io/is-default-class'];
const OLD_MEMBER = 'volume.beta.platform.io/storage-class';
const FIXED = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const isClaim = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === '' && row.resource === 'persistentvolumeclaims' && subresource === undefined;

/** `classes`: the StorageClasses that there are at this moment. */
export function defaultStorageClass(classes: () => Iterable<Entry>): MutatingPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: isClaim,
    mutate(request) {
      const spec = isClaim(request) ? objectAt(request.object, 'spec') : undefined;
      if (spec === undefined || classOf(request.object ?? {}) !== undefined) return undefined;
      const name = defaultAmong(classes(), MARKS);
      if (name !== undefined) spec['storageClassName'] = name;
      return undefined;
    },
  };
}

/** `find`: a StorageClass by its name. */
export function claimResize(find: (name: string) => Entry | undefined): ValidatingPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (operation) => operation === 'UPDATE',
    inspectsObject: isClaim,
    validate(request) {
      const { object, oldObject } = request;
      if (!isClaim(request) || object === undefined || oldObject === undefined) return undefined;
      const [now, before] = [sizeOf(object), sizeOf(oldObject)];
      if (now === undefined || before === undefined || compareQuantities(now, before) <= 0) return undefined;
      const entry = find(classOf(oldObject) ?? '');
      if (entry === undefined || own(parseEntry(entry).object, 'allowVolumeExpansion') !== true) throw refused(request, FIXED);
      return undefined;
    },
  };
}

const sizeOf = (claim: JsonObject): string | undefined =>
  stringAt(objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests'), 'storage');

/** Also the one that is named in the older way; an empty one is one. */
function classOf(claim: JsonObject): string | undefined {
  const annotations = objectAt(readMetadata(claim), 'annotations') ?? {};
  const old = Object.keys(annotations).find((name) => canonicalQualifiedName(name) === OLD_MEMBER);
  return old === undefined ? stringAt(objectAt(claim, 'spec'), 'storageClassName') : (stringAt(annotations, old) ?? '');
}
