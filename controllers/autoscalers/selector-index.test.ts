import fc from 'fast-check';
import { compileLabelSelector, parseLabelSelector } from '../../shared/api/selectors/label-selector';
import { apiObject, keyOf } from '../../shared/client/rest/api-object';
import { runStepsSync } from '../../shared/scheduling/steps';
import { labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { SelectorIndex } from './selector-index';

const scaler = (name: string, namespace = 'n') => ({ namespace, name });
const podOf = (name: string, labels: Record<string, string>, namespace = 'n'): Pod => apiObject({ metadata: { namespace, name, labels } });

/** An index that is updated like that of a controller with an informer. */
function indexOver(...initial: readonly Pod[]) {
  const pods = new Map(initial.map((pod) => [keyOf(pod), pod]));
  const index = new SelectorIndex({ list: () => [...pods.values()], byKey: (key) => pods.get(key) });
  const put = (pod: Pod): void => {
    pods.set(keyOf(pod), pod);
    index.setPod(pod);
  };
  const drop = (pod: Pod): void => {
    pods.delete(keyOf(pod));
    index.removePod(pod);
  };
  const set = (autoscaler: ReturnType<typeof scaler>, selector: string): void => runStepsSync(index.set(autoscaler, selector));
  const select = (autoscaler: ReturnType<typeof scaler>) => {
    const selected = runStepsSync(index.select(autoscaler));
    return { pods: selected.pods.map(({ name }) => name).sort(), selectingAutoscalers: [...selected.selectingAutoscalers].sort() };
  };
  return { pods, index, put, drop, set, select };
}

test('SelectorIndex lists the autoscalers of the namespace that select one of the same pods, until their selector changes or they are forgotten', () => {
  const { index, set, select } = indexOver(podOf('p0', { app: 'a', tier: 'x' }), podOf('p1', { app: 'a' }), podOf('p2', { app: 'b' }));
  set(scaler('h'), 'app=a');
  set(scaler('i'), 'tier');
  set(scaler('j'), 'app=b');
  set(scaler('k', 'other'), 'app=a');
  expect(select(scaler('h'))).toEqual({ pods: ['p0', 'p1'], selectingAutoscalers: ['n/h', 'n/i'] });
  set(scaler('i'), '');
  expect(select(scaler('h')).selectingAutoscalers).toEqual(['n/h']);
  set(scaler('i'), 'app=a');
  expect(select(scaler('h')).selectingAutoscalers).toEqual(['n/h', 'n/i']);
  index.forget(scaler('i'));
  expect(select(scaler('h')).selectingAutoscalers).toEqual(['n/h']);
  expect(select(scaler('k', 'other'))).toEqual({ pods: [], selectingAutoscalers: [] });
});

test('SelectorIndex matches labels in either spelling', () => {
  const { set, select, put } = indexOver(podOf('p', { 'platform.io/a': 'x' }));
  set(scaler('h'), 'kubernetes.io/a=x');
  put(podOf('q', { 'kubernetes.io/a': 'x' }));
  expect(select(scaler('h')).pods).toEqual(['p', 'q']);
});

test('SelectorIndex counts pods that are added and removed during a scan of all pods', () => {
  const many = Array.from({ length: 600 }, (_, position) => podOf(`p${position}`, { app: 'a' }));
  const { index, put, drop, set, select } = indexOver(...many);
  const steps = index.set(scaler('h'), 'app=a');
  steps.next();
  drop(podOf('p0', {}));
  drop(podOf('p599', {}));
  put(podOf('p300', { app: 'b' }));
  put(podOf('new', { app: 'a' }));
  // The same selector, during the scan.
  set(scaler('i'), 'app=a');
  // Without p0, p599 and p300, and with new.
  const remaining = many.length - 3 + 1;
  expect(select(scaler('i')).pods).toHaveLength(remaining);
  runStepsSync(steps);
  expect(select(scaler('h')).pods).toHaveLength(remaining);
});

test('SelectorIndex keeps nothing of an autoscaler that is forgotten during a scan of all pods', () => {
  const { index } = indexOver(...Array.from({ length: 600 }, (_, position) => podOf(`p${position}`, { app: 'a' })));
  const steps = index.set(scaler('h'), 'app=a');
  steps.next();
  index.forget(scaler('h'));
  runStepsSync(steps);
  expect(index.size).toBe(0);
});

const LABELS = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b'), { maxKeys: 2 });
const SELECTORS = ['', 'app=a', 'app=b', 'app in (a,b)', 'app in (b)', 'tier', '!tier', 'app=a,tier=b', 'app!=a', 'tier=a,app'];
const CHANGE = fc.oneof(
  fc.record({ type: fc.constant('put' as const), name: fc.nat(5), labels: LABELS }),
  // The object of a deletion may have other labels than the last update.
  fc.record({ type: fc.constant('drop' as const), name: fc.nat(5), labels: LABELS }),
  fc.record({ type: fc.constant('set' as const), name: fc.nat(3), selector: fc.constantFrom(...SELECTORS) }),
  fc.record({ type: fc.constant('forget' as const), name: fc.nat(3) }),
);

test('SelectorIndex selects the same pods and autoscalers as a full scan after any sequence of changes, and keeps nothing at the end', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 40 }), (changes) => {
      const { pods, index, put, drop, set, select } = indexOver();
      const selectors = new Map<string, string>();
      const podsOf = (selector: string): readonly Pod[] => {
        const matches = compileLabelSelector(parseLabelSelector(selector));
        return selector === '' ? [] : [...pods.values()].filter((pod) => matches(labelsOf(pod)));
      };
      for (const change of changes) {
        const name = `${change.name}`;
        switch (change.type) {
          case 'put':
            put(podOf(name, change.labels));
            break;
          case 'drop':
            drop(podOf(name, change.labels));
            break;
          case 'set':
            selectors.set(name, change.selector);
            set(scaler(name), change.selector);
            break;
          case 'forget':
            selectors.delete(name);
            index.forget(scaler(name));
            break;
        }
      }
      for (const [name, selector] of selectors) {
        const expected = podsOf(selector);
        const others = [...selectors].filter(([, other]) => podsOf(other).some((pod) => expected.includes(pod)));
        expect(select(scaler(name))).toEqual({
          pods: expected.map((pod) => pod.name).sort(),
          selectingAutoscalers: others.map(([other]) => `n/${other}`).sort(),
        });
      }
      for (const name of selectors.keys()) index.forget(scaler(name));
      expect(index.size).toBe(0);
    }),
  );
});

test('SelectorIndex reads as many pods for one autoscaler among 500 as for a single one', () => {
  /** How often labels are read for one autoscaler, among `count` autoscalers with four pods each. */
  const labelReads = (count: number): number => {
    let reads = 0;
    const countingPod = (app: string, name: string): Pod => {
      const pod = podOf(name, {});
      const metadata = { namespace: 'n', name };
      Object.defineProperty(metadata, 'labels', { enumerable: true, get: () => ((reads += 1), { app }) });
      return { ...pod, metadata, body: { metadata } };
    };
    const { set, select, put } = indexOver();
    for (let number = 0; number < count; number += 1) {
      set(scaler(`h${number}`), `app=a${number}`);
      for (const pod of ['p', 'q', 'r', 's']) put(countingPod(`a${number}`, `${pod}${number}`));
    }
    reads = 0;
    set(scaler('h0'), 'app=a0');
    expect(select(scaler('h0')).selectingAutoscalers).toEqual(['n/h0']);
    put(countingPod('a0', 'another'));
    return reads;
  };
  expect(labelReads(1)).toBeGreaterThan(0);
  expect(labelReads(500)).toBe(labelReads(1));
});
