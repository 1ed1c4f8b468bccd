/**
 * Finds redundant tolerations: one toleration covers another when it tolerates every taint that the other tolerates.
 * Runs in time linear in the number of tolerations.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { own, stringAt, type JsonObject } from '../../../../shared/values/json';

const textAt = (toleration: JsonObject, member: string): string => stringAt(toleration, member) ?? '';
const keyOf = (toleration: JsonObject): string => canonicalQualifiedName(textAt(toleration, 'key'));
const isForAnyValue = (toleration: JsonObject): boolean => textAt(toleration, 'operator') === 'Exists';
const indexKey = (key: string, value: string | undefined, effect: string): string => JSON.stringify([key, value ?? null, effect]);

/** How long a NoExecute taint is tolerated, in seconds. */
function secondsTolerated(toleration: JsonObject): number {
  const seconds = own(toleration, 'tolerationSeconds');
  return typeof seconds === 'number' ? seconds : Number.POSITIVE_INFINITY;
}

export class TolerationIndex {
  /** By key, value and effect, the first of those with the longest duration. */
  private readonly longestByKey = new Map<string, JsonObject>();

  constructor(tolerations: readonly JsonObject[]) {
    for (const toleration of tolerations) {
      const slotKey = indexKey(
        keyOf(toleration),
        isForAnyValue(toleration) ? undefined : textAt(toleration, 'value'),
        textAt(toleration, 'effect'),
      );
      const existing = this.longestByKey.get(slotKey);
      if (
        existing === undefined ||
        (textAt(toleration, 'effect') === 'NoExecute' && secondsTolerated(toleration) > secondsTolerated(existing))
      )
        this.longestByKey.set(slotKey, toleration);
    }
  }

  /** A toleration that covers the given one, possibly itself; `undefined` when there is none. */
  findCovering(toleration: JsonObject): JsonObject | undefined {
    const [key, effect] = [keyOf(toleration), textAt(toleration, 'effect')];
    const candidates = [
      ['', undefined],
      [key, undefined],
      ...(isForAnyValue(toleration) || key === '' ? [] : [[key, textAt(toleration, 'value')] as const]),
    ] as const;
    for (const [candidateKey, value] of candidates)
      for (const candidateEffect of ['', effect]) {
        const candidate = this.longestByKey.get(indexKey(candidateKey, value, candidateEffect));
        if (candidate !== undefined && (candidateEffect !== 'NoExecute' || secondsTolerated(candidate) >= secondsTolerated(toleration)))
          return candidate;
      }
    return undefined;
  }
}

/** Keeps the order; of equal tolerations the first is kept. */
export function withoutRedundant(tolerations: readonly JsonObject[]): readonly JsonObject[] {
  const index = new TolerationIndex(tolerations);
  return tolerations.filter((toleration) => (index.findCovering(toleration) ?? toleration) === toleration);
}
