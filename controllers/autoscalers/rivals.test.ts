import fc from 'fast-check';
import { compileLabelSelector, parseLabelSelector } from '../../shared/api/selectors/label-selector';
import { apiObject, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { runStepsSync } from '../../shared/scheduling/steps';
import { labelsOf } from '../runtime/pods';
import { Rivals } from './rivals';

const scaler = (name: string, namespace = 'n'): ApiObject => apiObject({ metadata: { namespace, name } });
const podOf = (name: string, labels: Readonly<Record<string, string>>, namespace = 'n'): ApiObject =>
  apiObject({ metadata: { namespace, name, labels } });

/** Rivals over pods that are told of as an informer does. */
function world(...first: readonly ApiObject[]) {
  const pods = new Map(first.map((pod) => [keyOf(pod), pod]));
  const rivals = new Rivals({ list: () => [...pods.values()], byKey: (key) => pods.get(key) });
  const put = (pod: ApiObject): void => {
    pods.set(keyOf(pod), pod);
    rivals.setPod(pod);
  };
  const drop = (pod: ApiObject): void => {
    pods.delete(keyOf(pod));
    rivals.removePod(pod);
  };
  const set = (one: ApiObject, selector: string): void => runStepsSync(rivals.set(one, selector));
  const seen = (one: ApiObject) => {
    const found = runStepsSync(rivals.select(one));
    return { pods: found.pods.map(({ name }) => name).sort(), rivals: [...found.rivals].sort() };
  };
  return { pods, rivals, put, drop, set, seen };
}

test('Rivals lists the autoscalers of the namespace that select one of the same pods, until their selector changes or they are forgotten', () => {
  const { rivals, set, seen } = world(podOf('p0', { app: 'a', tier: 'x' }), podOf('p1', { app: 'a' }), podOf('p2', { app: 'b' }));
  set(scaler('h'), 'app=a');
  set(scaler('i'), 'tier');
  set(scaler('j'), 'app=b');
  set(scaler('k', 'other'), 'app=a');
  expect(seen(scaler('h'))).toEqual({ pods: ['p0', 'p1'], rivals: ['n/h', 'n/i'] });
  set(scaler('i'), '');
  expect(seen(scaler('h')).rivals).toEqual(['n/h']);
  set(scaler('i'), 'app=a');
  expect(seen(scaler('h')).rivals).toEqual(['n/h', 'n/i']);
  rivals.forget(scaler('i'));
  expect(seen(scaler('h')).rivals).toEqual(['n/h']);
  expect(seen(scaler('k', 'other'))).toEqual({ pods: [], rivals: [] });
});

test('Rivals matches labels in either spelling', () => {
  const { set, seen, put } = world(podOf('p', { 'platform.io/a': 'x' }));
  set(scaler('h'), 'kubernetes.io/a=x');
  put(podOf('q', { 'kubernetes.io/a': 'x' }));
  expect(seen(scaler('h')).pods).toEqual(['p', 'q']);
});

test('Rivals counts pods that are added and removed during a scan of all pods', () => {
  const many = Array.from({ length: 600 }, (_, at) => podOf(`p${at}`, { app: 'a' }));
  const { rivals, put, drop, set, seen } = world(...many);
  const steps = rivals.set(scaler('h'), 'app=a');
  steps.next();
  drop(podOf('p0', {}));
  drop(podOf('p599', {}));
  put(podOf('p300', { app: 'b' }));
  put(podOf('new', { app: 'a' }));
  // The same selector, in the middle of that.
  set(scaler('i'), 'app=a');
  expect(seen(scaler('i')).pods).toHaveLength(598);
  runStepsSync(steps);
  expect(seen(scaler('h')).pods).toHaveLength(598);
});

test('Rivals keeps nothing of an autoscaler that is forgotten during a scan of all pods', () => {
  const { rivals } = world(...Array.from({ length: 600 }, (_, at) => podOf(`p${at}`, { app: 'a' })));
  const steps = rivals.set(scaler('h'), 'app=a');
  steps.next();
  rivals.forget(scaler('h'));
  runStepsSync(steps);
  expect(rivals.size).toBe(0);
});

const LABELS = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b'), { maxKeys: 2 });
const SELECTORS = ['', 'app=a', 'app=b', 'app in (a,b)', 'app in (b)', 'tier', '!tier', 'app=a,tier=b', 'app!=a', 'tier=a,app'];
const CHANGE = fc.oneof(
  fc.record({ type: fc.constant('put'), name: fc.nat(5), labels: LABELS }),
  fc.record({ type: fc.constant('drop'), name: fc.nat(5), labels: LABELS }),
  fc.record({ type: fc.constant('set'), name: fc.nat(3), selector: fc.constantFrom(...SELECTORS) }),
  fc.record({ type: fc.constant('forget'), name: fc.nat(3) }),
);

test('Rivals selects the same pods and autoscalers as a full scan after any sequence of changes, and keeps nothing at the end', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 40 }), (changes) => {
      const { pods, rivals, put, drop, set, seen } = world();
      const wanted = new Map<string, string>();
      const select = (selector: string): readonly ApiObject[] => {
        const matches = compileLabelSelector(parseLabelSelector(selector));
        return selector === '' ? [] : [...pods.values()].filter((pod) => matches(labelsOf(pod)));
      };
      for (const change of changes) {
        const name = `${change.name}`;
        // A deletion may be told with other labels than the pod was known with.
        if ('labels' in change) (change.type === 'put' ? put : drop)(podOf(name, change.labels));
        else if ('selector' in change) {
          wanted.set(name, change.selector);
          set(scaler(name), change.selector);
        } else {
          wanted.delete(name);
          rivals.forget(scaler(name));
        }
      }
      for (const [name, selector] of wanted) {
        const own = select(selector);
        const others = [...wanted].filter(([, other]) => select(other).some((pod) => own.includes(pod)));
        expect(seen(scaler(name))).toEqual({
          pods: own.map((pod) => pod.name).sort(),
          rivals: others.map(([other]) => `n/${other}`).sort(),
        });
      }
      for (const name of wanted.keys()) rivals.forget(scaler(name));
      expect(rivals.size).toBe(0);
    }),
  );
});

test('Rivals reads as many pods for one autoscaler among 500 as for a single one', () => {
  const looks = (count: number): number => {
    let read = 0;
    const counted = (app: string, name: string): ApiObject => {
      const pod = podOf(name, {});
      const metadata = { namespace: 'n', name };
      Object.defineProperty(metadata, 'labels', { enumerable: true, get: () => ((read += 1), { app }) });
      return { ...pod, body: { metadata } };
    };
    const { set, seen, put } = world();
    for (let at = 0; at < count; at += 1) {
      set(scaler(`h${at}`), `app=a${at}`);
      for (let pod = 0; pod < 4; pod += 1) put(counted(`a${at}`, `p${at}-${pod}`));
    }
    read = 0;
    set(scaler('h0'), 'app=a0');
    expect(seen(scaler('h0')).rivals).toEqual(['n/h0']);
    put(counted('a0', 'p0-9'));
    return read;
  };
  expect(looks(500)).toBe(looks(1));
});
