/**
 * PriorityLevelConfiguration v1beta3: zero shares are its way to say "the default", so an annotation tells when zero is meant.
 */
import { CARRIED_NAMES } from '../../names/dialect';
import { objectAt, own, type JsonObject } from '../json';
import { annotationAt, metadataWith, metadataWithout, type KeyOf } from './annotations';
import type { Conversion } from './conversion';

const ZERO_SHARES: KeyOf = (names) => names.zeroShares;

export const priorityLevel: Conversion = {
  toHub: (object) =>
    annotationAt(object, ZERO_SHARES) === undefined ? object : { ...object, metadata: metadataWithout(object, [ZERO_SHARES]) },
  fromHub: (object, dialect) => {
    const limited = limitedOf(object);
    const isZero = limited !== undefined && own(limited, 'nominalConcurrencyShares') === 0;
    return isZero ? { ...object, metadata: metadataWith(object, { [CARRIED_NAMES[dialect].zeroShares]: '' }) } : object;
  },
};

/** The default of v1beta3 that depends on the annotation. */
export function defaultShares(object: JsonObject): void {
  const limited = limitedOf(object);
  if (limited === undefined || annotationAt(object, ZERO_SHARES) !== undefined) return;
  if ((own(limited, 'nominalConcurrencyShares') ?? 0) === 0) limited['nominalConcurrencyShares'] = DEFAULT_SHARES;
}

const DEFAULT_SHARES = 30;

function limitedOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'spec'), 'limited');
}
