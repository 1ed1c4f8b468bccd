/**
 * Converts PriorityLevelConfiguration v1beta3, in which zero shares mean the default; an annotation marks an intended
 * zero.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { objectAt, ownMember, type JsonObject } from '../../values/json';
import { annotationAt, metadataWithAnnotations, metadataWithoutAnnotations, type AnnotationKeyOf } from '../metadata/carried-annotations';
import type { Conversion } from './conversion';

const ZERO_SHARES: AnnotationKeyOf = (names) => names.zeroShares;

export const priorityLevelConversion: Conversion = {
  toHub: (object) =>
    annotationAt(object, ZERO_SHARES) === undefined ? object : { ...object, metadata: metadataWithoutAnnotations(object, [ZERO_SHARES]) },
  fromHub: (object, dialect) => {
    const limited = limitedOf(object);
    const isZero = limited !== undefined && ownMember(limited, 'nominalConcurrencyShares') === 0;
    return isZero ? { ...object, metadata: metadataWithAnnotations(object, { [CONVERSION_ANNOTATIONS[dialect].zeroShares]: '' }) } : object;
  },
};

function limitedOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'spec'), 'limited');
}
