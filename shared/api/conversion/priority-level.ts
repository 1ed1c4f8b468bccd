/**
 * PriorityLevelConfiguration v1beta3: zero shares are its way to say "the default", so an annotation tells when zero is meant.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { objectAt, own, type JsonObject } from '../../values/json';
import { annotationAt, metadataWith, metadataWithout, type KeyOf } from '../metadata/carried-annotations';
import type { Conversion } from './conversion';

const ZERO_SHARES: KeyOf = (names) => names.zeroShares;

export const priorityLevel: Conversion = {
  toHub: (object) =>
    annotationAt(object, ZERO_SHARES) === undefined ? object : { ...object, metadata: metadataWithout(object, [ZERO_SHARES]) },
  fromHub: (object, dialect) => {
    const limited = limitedOf(object);
    const isZero = limited !== undefined && own(limited, 'nominalConcurrencyShares') === 0;
    return isZero ? { ...object, metadata: metadataWith(object, { [CONVERSION_ANNOTATIONS[dialect].zeroShares]: '' }) } : object;
  },
};

function limitedOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'spec'), 'limited');
}
