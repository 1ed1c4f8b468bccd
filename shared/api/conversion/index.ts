/**
 * The conversions of all kinds that are served in another version than they are stored in, by the served type. A version that differs in
 * nothing but its name needs no entry of its own shape, only {@link SAME}.
 */
import type { Dialect } from '../../names/dialect';
import type { JsonObject } from '../../values/json';
import { KNOWN_KINDS, storedRowOf, type KindRow } from '../kinds';
import { annotationAt, metadataWithout, type KeyOf } from '../metadata/carried-annotations';
import { decodeObject } from '../types';
import { autoscaler } from './autoscaler';
import { renamed, SAME, type Conversion } from './conversion';
import { priorityLevel } from './priority-level';

export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy': SAME,
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding': SAME,
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy': SAME,
  'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding': SAME,
  'autoscaling.v1.HorizontalPodAutoscaler': autoscaler,
  'events.v1.Event': renamed({
    count: 'deprecatedCount',
    firstTimestamp: 'deprecatedFirstTimestamp',
    involvedObject: 'regarding',
    lastTimestamp: 'deprecatedLastTimestamp',
    message: 'note',
    reportingComponent: 'reportingController',
    source: 'deprecatedSource',
  }),
  'flowcontrol.v1beta3.FlowSchema': SAME,
  'flowcontrol.v1beta3.PriorityLevelConfiguration': priorityLevel,
  'storage.v1alpha1.VolumeAttributesClass': SAME,
};

/** From a served version to the one in which objects are stored, and back. Makes decoded objects of decoded ones, which it leaves as they are. */
export interface Converter {
  toHub(object: JsonObject): JsonObject;
  fromHub(object: JsonObject): JsonObject;
}

/** The converter of a row; undefined when its objects are stored as they are. `naming` = the spelling of what a conversion itself names. */
export function converterOf(row: KindRow, naming: Dialect): Converter | undefined {
  if (row.storedAs === undefined) return undefined;
  const conversion = CONVERSIONS[row.type];
  if (conversion === undefined) throw new Error(`no conversion for ${row.type}`);
  const hubType = storedRowOf(row).type;
  return {
    toHub: (object) => decodeObject(hubType, conversion.toHub(object)).object,
    fromHub: (object) => decodeObject(row.type, conversion.fromHub(object, naming)).object,
  };
}

/** By stored type: the annotations in which other versions carry its fields. */
const CARRIED: ReadonlyMap<string, readonly KeyOf[]> = new Map(
  KNOWN_KINDS.flatMap((row): [string, readonly KeyOf[]][] => {
    const keys = row.storedAs === undefined ? undefined : CONVERSIONS[row.type]?.carried;
    return keys === undefined ? [] : [[storedRowOf(row).type, keys]];
  }),
);

/**
 * Removes the annotations that carry fields in another version from an object that was sent in the stored version: the next write in the other version would read them
 * as fields. `row` is the version that was sent.
 */
export function dropCarried(row: KindRow, object: JsonObject): void {
  const keys = CARRIED.get(row.type);
  if (keys?.some((key) => annotationAt(object, key) !== undefined) === true) object['metadata'] = metadataWithout(object, keys);
}
