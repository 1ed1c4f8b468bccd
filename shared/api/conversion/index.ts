/**
 * The conversions between the versions of built-in kinds. The storage version of a kind is its hub: every other version
 * converts to it and from it. The versions of custom kinds are converted by their webhooks (apiserver/conversion).
 */
import type { Dialect } from '../../names/dialect';
import type { JsonObject } from '../../values/json';
import { KNOWN_KINDS, storedRowOf, type KindRow } from '../kinds';
import { annotationAt, metadataWithoutAnnotations, type AnnotationKeyOf } from '../metadata/carried-annotations';
import { decodeObject } from '../types';
import { autoscalerConversion } from './autoscaler';
import { renamingConversion, IDENTITY_CONVERSION, type Conversion } from './conversion';
import { priorityLevelConversion } from './priority-level';

/** By the type of a version that is served but not stored. A version with the hub's fields has {@link IDENTITY_CONVERSION}. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy': IDENTITY_CONVERSION,
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding': IDENTITY_CONVERSION,
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy': IDENTITY_CONVERSION,
  'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding': IDENTITY_CONVERSION,
  'autoscaling.v1.HorizontalPodAutoscaler': autoscalerConversion,
  'events.v1.Event': renamingConversion({
    count: 'deprecatedCount',
    firstTimestamp: 'deprecatedFirstTimestamp',
    involvedObject: 'regarding',
    lastTimestamp: 'deprecatedLastTimestamp',
    message: 'note',
    reportingComponent: 'reportingController',
    source: 'deprecatedSource',
  }),
  'flowcontrol.v1beta3.FlowSchema': IDENTITY_CONVERSION,
  'flowcontrol.v1beta3.PriorityLevelConfiguration': priorityLevelConversion,
  'storage.v1alpha1.VolumeAttributesClass': IDENTITY_CONVERSION,
};

/** Converts decoded objects between a served version and the hub. Does not modify its argument. */
export interface HubConverter {
  /** Converts from the served version to the storage version. */
  toHub(object: JsonObject): JsonObject;
  /** Converts from the storage version to the served version. */
  fromHub(object: JsonObject): JsonObject;
}

/**
 * The converter of a row; `undefined` when the row is itself the storage version. `naming` is the dialect of the
 * annotations that a conversion adds.
 */
export function hubConverterOf(row: KindRow, naming: Dialect): HubConverter | undefined {
  if (row.storedAs === undefined) return undefined;
  const conversion = CONVERSIONS[row.type];
  if (conversion === undefined) throw new Error(`no conversion for ${row.type}`);
  const hubType = storedRowOf(row).type;
  return {
    toHub: (object) => decodeObject(hubType, conversion.toHub(object)).object,
    fromHub: (object) => decodeObject(row.type, conversion.fromHub(object, naming)).object,
  };
}

/** By the type of a storage version: the annotations in which objects of other versions carry its fields. */
const FIELD_ANNOTATIONS: ReadonlyMap<string, readonly AnnotationKeyOf[]> = new Map(
  KNOWN_KINDS.flatMap((row): [string, readonly AnnotationKeyOf[]][] => {
    const keys = row.storedAs === undefined ? undefined : CONVERSIONS[row.type]?.fieldAnnotations;
    return keys === undefined ? [] : [[storedRowOf(row).type, keys]];
  }),
);

/**
 * Removes, in place, the annotations that carry fields in another version from an object that was sent in the storage
 * version. Otherwise a later write in the other version would replace the fields by the content of the annotations.
 * `row` is the version that was sent; for other versions the object is left unchanged.
 */
export function dropFieldAnnotations(row: KindRow, object: JsonObject): void {
  const keys = FIELD_ANNOTATIONS.get(row.type);
  if (keys?.some((key) => annotationAt(object, key) !== undefined) === true) object['metadata'] = metadataWithoutAnnotations(object, keys);
}
