/**
 * Finds redundant tolerations: one toleration covers another when it tolerates every taint that the other tolerates.
 * Takes time linear in the number of tolerations. Which tolerations a pod may have is left to the plug-ins.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1Toleration } from '../../../../shared/api/types/generated/members';

/** An empty key tolerates taints with any key. */
const keyOf = ({ key = '' }: CoreV1Toleration): string => canonicalQualifiedName(key);
const isForAnyValue = ({ operator }: CoreV1Toleration): boolean => operator === 'Exists';
/** The key in the index. `value`: `undefined` for a toleration of any value. `effect`: empty for one of any effect. */
const indexKey = (key: string, value: string | undefined, effect: string): string => JSON.stringify([key, value ?? null, effect]);

/** How long a NoExecute taint is tolerated, in seconds. A bigint where a number is not exact. */
const secondsTolerated = ({ tolerationSeconds = Number.POSITIVE_INFINITY }: CoreV1Toleration): number | bigint => tolerationSeconds;

/** Tolerations by what they tolerate, for look-ups of one that covers another. Immutable. */
export class TolerationIndex {
  /**
   * By key, value and effect, one toleration: the first for effects without a duration, and for NoExecute the first of
   * those with the longest duration.
   */
  private readonly longestByKey = new Map<string, CoreV1Toleration>();

  constructor(tolerations: readonly CoreV1Toleration[]) {
    for (const toleration of tolerations) {
      const { value = '', effect = '' } = toleration;
      const mapKey = indexKey(keyOf(toleration), isForAnyValue(toleration) ? undefined : value, effect);
      const existing = this.longestByKey.get(mapKey);
      const isLonger = existing !== undefined && effect === 'NoExecute' && secondsTolerated(toleration) > secondsTolerated(existing);
      if (existing === undefined || isLonger) this.longestByKey.set(mapKey, toleration);
    }
  }

  /** A toleration that covers the given one, possibly itself; `undefined` when there is none. */
  findCovering(toleration: CoreV1Toleration): CoreV1Toleration | undefined {
    const { value: ownValue = '', effect = '' } = toleration;
    const key = keyOf(toleration);
    // From general to specific: any key, any value of the key, the value. An empty key has no value.
    const candidates = [
      { key: '', value: undefined },
      { key, value: undefined },
      ...(isForAnyValue(toleration) || key === '' ? [] : [{ key, value: ownValue }]),
    ];
    for (const { key: candidateKey, value } of candidates)
      for (const candidateEffect of ['', effect]) {
        const candidate = this.longestByKey.get(indexKey(candidateKey, value, candidateEffect));
        if (candidate !== undefined && (candidateEffect !== 'NoExecute' || secondsTolerated(candidate) >= secondsTolerated(toleration)))
          return candidate;
      }
    return undefined;
  }
}

/** The tolerations that no other covers, in their order. Of equal tolerations the first is kept. */
export function withoutRedundant(tolerations: readonly CoreV1Toleration[]): readonly CoreV1Toleration[] {
  const index = new TolerationIndex(tolerations);
  return tolerations.filter((toleration) => (index.findCovering(toleration) ?? toleration) === toleration);
}
