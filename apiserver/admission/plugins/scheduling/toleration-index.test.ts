/** Which tolerations are redundant: compared with the taints that they tolerate. */
import * as fc from 'fast-check';
import type { JsonObject } from '../../../../shared/values/json';
import { TolerationIndex, withoutRedundant } from './toleration-index';

const anyToleration = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('Exists', 'Equal', ''),
    value: fc.constantFrom('', 'x', 'y'),
    effect: fc.constantFrom('', 'NoSchedule', 'NoExecute'),
    tolerationSeconds: fc.constantFrom(0, 5, 9),
  },
  { requiredKeys: [] },
);

/** A taint on a node. */
interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** How long the taint has been on its node. */
  readonly seconds: number;
}

const TAINTS: readonly Taint[] = ['a', 'b', 'c'].flatMap((key) =>
  ['', 'x', 'y', 'z'].flatMap((value) =>
    ['NoSchedule', 'NoExecute'].flatMap((effect) => [0, 5, 9, 99].map((seconds) => ({ key, value, effect, seconds }))),
  ),
);

/** Whether a scheduler and a node let a pod with the toleration stay on a node with the taint. */
function tolerates({ key = '', operator, value = '', effect = '', tolerationSeconds }: JsonObject, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '' ? operator !== 'Exists' : key !== taint.key) return false;
  if (operator !== 'Exists' && value !== taint.value) return false;
  return effect !== 'NoExecute' || typeof tolerationSeconds !== 'number' || taint.seconds <= tolerationSeconds;
}

const toleratedTaints = (tolerations: readonly JsonObject[]): readonly Taint[] =>
  TAINTS.filter((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));

test('withoutRedundant removes no toleration that changes the set of tolerated taints', () => {
  fc.assert(
    fc.property(fc.array(anyToleration, { maxLength: 8 }), (tolerations) => {
      const remaining = withoutRedundant(tolerations);
      expect(toleratedTaints(remaining)).toEqual(toleratedTaints(tolerations));
      // The remaining tolerations are the objects that were passed, in the same order.
      expect(tolerations.filter((toleration) => remaining.includes(toleration))).toEqual(remaining);
    }),
  );
});

test('findCovering returns only a toleration that tolerates every taint of the covered one', () => {
  fc.assert(
    fc.property(anyToleration, anyToleration, (toleration, covering) => {
      if (new TolerationIndex([covering]).findCovering(toleration) === undefined) return;
      // A toleration adds nothing to one that covers it.
      expect(toleratedTaints([covering, toleration])).toEqual(toleratedTaints([covering]));
    }),
  );
});

test.each<readonly [title: string, covering: JsonObject, toleration: JsonObject, covers: boolean]>([
  [
    'Exists on a key covers any value and effect of the key',
    { key: 'a', operator: 'Exists' },
    { key: 'a', value: 'x', effect: 'NoSchedule' },
    true,
  ],
  ['Exists without a key covers Exists on a key', { operator: 'Exists' }, { key: 'a', operator: 'Exists' }, true],
  [
    'a longer tolerationSeconds covers a shorter one',
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 },
    { key: 'a', effect: 'NoExecute', tolerationSeconds: 5 },
    true,
  ],
  [
    'a bounded tolerationSeconds does not cover an unbounded one',
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    { key: 'a', effect: 'NoExecute' },
    false,
  ],
  ['one value does not cover Exists on its key', { key: 'a', value: 'x' }, { key: 'a', operator: 'Exists' }, false],
  [
    'one effect does not cover every effect',
    { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'a', operator: 'Exists' },
    false,
  ],
  [
    'a key covers the same key in the other spelling',
    { key: 'node.platform.io/x', operator: 'Exists' },
    { key: 'node.kubernetes.io/x', operator: 'Exists' },
    true,
  ],
])('%s', (_title, covering, toleration, covers) => {
  expect(new TolerationIndex([covering]).findCovering(toleration) !== undefined).toBe(covers);
});
