/** Tolerations that make others needless: whatever one of those tolerates, one of these does too. Found in the time that it takes to read them. */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { own, stringAt, type JsonObject } from '../../shared/values/json';

const read = (toleration: JsonObject, member: string): string => stringAt(toleration, member) ?? '';
const keyOf = (toleration: JsonObject): string => canonicalQualifiedName(read(toleration, 'key'));
const isForAnyValue = (toleration: JsonObject): boolean => read(toleration, 'operator') === 'Exists';
const slot = (key: string, value: string | undefined, effect: string): string => JSON.stringify([key, value ?? null, effect]);

/** Seconds for which it is tolerated that pods are thrown out. */
function lasts(toleration: JsonObject): number {
  const seconds = own(toleration, 'tolerationSeconds');
  return typeof seconds === 'number' ? seconds : Number.POSITIVE_INFINITY;
}

export class Tolerations {
  /** By what they tolerate: the first of those that do so longest. */
  private readonly longest = new Map<string, JsonObject>();

  constructor(tolerations: readonly JsonObject[]) {
    for (const one of tolerations) {
      const at = slot(keyOf(one), isForAnyValue(one) ? undefined : read(one, 'value'), read(one, 'effect'));
      const known = this.longest.get(at);
      if (known === undefined || (read(one, 'effect') === 'NoExecute' && lasts(one) > lasts(known))) this.longest.set(at, one);
    }
  }

  /** One that makes it needless, or it itself; undefined = none does. */
  coverOf(one: JsonObject): JsonObject | undefined {
    const [key, effect] = [keyOf(one), read(one, 'effect')];
    const sides = [
      ['', undefined],
      [key, undefined],
      ...(isForAnyValue(one) || key === '' ? [] : [[key, read(one, 'value')] as const]),
    ] as const;
    for (const [otherKey, value] of sides)
      for (const otherEffect of ['', effect]) {
        const found = this.longest.get(slot(otherKey, value, otherEffect));
        if (found !== undefined && (otherEffect !== 'NoExecute' || lasts(found) >= lasts(one))) return found;
      }
    return undefined;
  }
}

/** In their order; of several that are alike the first stays. */
export function withoutCovered(tolerations: readonly JsonObject[]): readonly JsonObject[] {
  const index = new Tolerations(tolerations);
  return tolerations.filter((one) => (index.coverOf(one) ?? one) === one);
}
