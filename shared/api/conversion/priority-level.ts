/**
 * Converts PriorityLevelConfiguration between v1beta3 and v1, its storage version. In v1beta3 zero shares
 * (`nominalConcurrencyShares`) mean the default, so an annotation marks a zero that is intended.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { objectAt, ownMember, type JsonObject } from '../../values/json';
import { annotationAt, metadataWithAnnotations, metadataWithoutAnnotations, type AnnotationKeyOf } from '../metadata/carried-annotations';
import type { Conversion } from './conversion';

const zeroSharesKey: AnnotationKeyOf = (names) => names.zeroShares;

export const priorityLevelConversion: Conversion = {
  toHub: (object) =>
    annotationAt(object, zeroSharesKey) === undefined
      ? object
      : { ...object, metadata: metadataWithoutAnnotations(object, [zeroSharesKey]) },
  fromHub: (object, dialect) => {
    const limited = limitedOf(object);
    const isZero = limited !== undefined && ownMember(limited, 'nominalConcurrencyShares') === 0;
    return isZero ? { ...object, metadata: metadataWithAnnotations(object, { [CONVERSION_ANNOTATIONS[dialect].zeroShares]: '' }) } : object;
  },
};

function limitedOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'spec'), 'limited');
}
