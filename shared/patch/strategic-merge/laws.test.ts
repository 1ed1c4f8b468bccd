import fc from 'fast-check';
import { cloneJson, equalJson, isObject, type JsonObject, type JsonValue } from '../../values/json';
import { decodeObject } from '../../api/types';
import { StrategicFault, strategicMerge } from '.';
import { propertyRuns } from '../../../test/support/property-runs';

const POD = 'core.v1.Pod';
const names = ['a', 'b', 'c', 'd', 'e'] as const;
const text = fc.constantFrom('x', 'y', 'z');
const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value));
const asObject = (value: unknown): JsonObject => {
  const copy = plain(value);
  return isObject(copy) ? copy : {};
};

const env = fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), value: text }), { selector: (item) => item.name });
const container = fc.record(
  {
    name: fc.constantFrom(...names),
    image: text,
    args: fc.array(text, { maxLength: 3 }),
    env,
    ports: fc.uniqueArray(fc.record({ containerPort: fc.integer({ min: 1, max: 4 }), name: text }), {
      selector: (item) => item.containerPort,
    }),
    resources: fc.record({ limits: fc.dictionary(text, text) }),
  },
  { requiredKeys: ['name'] },
);
const containers = fc.uniqueArray(container, { selector: (item) => item.name, maxLength: 5 });
const metadata = fc.record(
  { labels: fc.dictionary(text, text), finalizers: fc.uniqueArray(fc.constantFrom(...names)) },
  { requiredKeys: [] },
);
const spec = fc.record(
  { containers, nodeName: text, nodeSelector: fc.dictionary(text, text), tolerations: fc.array(fc.record({ key: text })) },
  { requiredKeys: [] },
);
const pod = fc.record({ metadata, spec }, { requiredKeys: [] }).map(asObject);

const merge = (object: JsonObject, patch: JsonValue): JsonObject => strategicMerge(POD, object, asObject(patch));

test('an empty patch changes nothing', () => {
  fc.assert(fc.property(pod, (object) => expect(merge(object, {})).toEqual(object)));
});

test('a patch without directives does nothing the second time, and leaves object and patch as they were', () => {
  fc.assert(
    fc.property(pod, pod, (object, patch) => {
      const before = cloneJson([object, patch]);
      const once = merge(object, patch);
      expect(merge(once, patch)).toEqual(once);
      expect(equalJson([object, patch], before)).toBe(true);
    }),
  );
});

test('a patched object fits the patch: merging it into nothing or into itself changes nothing more', () => {
  fc.assert(
    fc.property(pod, (object) => {
      expect(merge({}, object)).toEqual(object);
      expect(merge(object, object)).toEqual(object);
    }),
  );
});

test('null removes the member and nothing else', () => {
  fc.assert(
    fc.property(pod, fc.constantFrom('metadata', 'spec'), (object, member) => {
      const { [member]: _gone, ...rest } = object;
      expect(merge(object, { [member]: null })).toEqual(rest);
    }),
  );
});

test('patches of different members, and of different items that are there, commute', () => {
  fc.assert(
    fc.property(pod, metadata, spec, (object, first, second) => {
      const a = plain({ metadata: first });
      const b = plain({ spec: second });
      expect(merge(merge(object, a), b)).toEqual(merge(merge(object, b), a));
    }),
  );
  fc.assert(
    fc.property(containers, container, container, (list, first, second) => {
      fc.pre(first.name !== second.name && [first, second].every((item) => list.some((found) => found.name === item.name)));
      const object = asObject({ spec: { containers: list } });
      const a = plain({ spec: { containers: [first] } });
      const b = plain({ spec: { containers: [second] } });
      expect(merge(merge(object, a), b)).toEqual(merge(merge(object, b), a));
    }),
  );
});

test('an order that names every item is the order of the result', () => {
  fc.assert(
    fc.property(containers, containers, fc.shuffledSubarray([...names], { minLength: names.length }), (list, changes, order) => {
      const patched = order.flatMap((name) => changes.filter((item) => item.name === name));
      const patch = { spec: { '$setElementOrder/containers': order.map((name) => ({ name })), containers: patched } };
      fc.pre(list.length > 0);
      const result = plain(merge(asObject({ spec: { containers: list } }), plain(patch)));
      const found = order.filter((name) => [...list, ...changes].some((item) => item.name === name)).map((name) => ({ name }));
      expect(result).toMatchObject({ spec: { containers: found } });
    }),
  );
});

test('what is deleted is gone, what is not named stays where it was', () => {
  fc.assert(
    fc.property(containers, fc.subarray([...names]), (list, gone) => {
      const patch = plain({ spec: { containers: gone.map((name) => ({ name, $patch: 'delete' })) } });
      const kept = list.filter((item) => !gone.includes(item.name));
      expect(merge(asObject({ spec: { containers: list } }), patch)).toEqual(plain({ spec: { containers: kept } }));
    }),
  );
});

const words = [
  ...[
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '$deleteFromPrimitiveList/finalizers',
    '$setElementOrder/finalizers',
    '$setElementOrder',
  ],
  ...['metadata', 'spec', 'containers', 'finalizers', 'name', 'env', 'labels', '__proto__', 'constructor', 'hasOwnProperty'],
];
const junk: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, 'replace', 'delete', 'merge', 'a', 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...words), tie('value')), { maxLength: 4 }).map((members) => asEntries(members)),
  ),
})).value;

/** Through text, so that `__proto__` becomes a member. */
function asEntries(members: readonly (readonly [string, JsonValue])[]): JsonValue {
  return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);
}

test('whatever is sent is refused in words or gives an object that can be decoded or refused', () => {
  fc.assert(
    fc.property(pod, junk, (object, patch) => {
      if (!isObject(patch)) return;
      const before = JSON.stringify([object, patch]);
      try {
        const result = strategicMerge(POD, object, patch);
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      } catch (error) {
        expect(error).toBeInstanceOf(StrategicFault);
      }
      expect(JSON.stringify([object, patch])).toBe(before);
    }),
    propertyRuns(250),
  );
});

test('a patch that nothing could walk is refused', () => {
  const deep: JsonValue = JSON.parse(`${'{"x":'.repeat(5000)}1${'}'.repeat(5000)}`);
  expect(() => strategicMerge(POD, {}, isObject(deep) ? deep : {})).toThrow(new StrategicFault('content', 'exceeded max depth'));
});

const MANY = 50_000;
const many = (from: number): string[] => Array.from({ length: MANY }, (_, index) => `a/${from + index}`);
const references = (from: number): object[] => many(from).map((uid) => ({ uid }));

test.each<[string, object, object, number]>([
  ['values that are partly there', { finalizers: many(0) }, { finalizers: many(MANY / 2) }, MANY * 1.5],
  ['values under an order', { finalizers: many(0) }, { finalizers: many(MANY), '$setElementOrder/finalizers': many(MANY) }, MANY * 2],
  ['values that go', { finalizers: many(0) }, { '$deleteFromPrimitiveList/finalizers': many(MANY / 2) }, MANY / 2],
  ['items that are partly there', { ownerReferences: references(0) }, { ownerReferences: references(MANY / 2) }, MANY * 1.5],
  [
    'items that go',
    { ownerReferences: references(0) },
    { ownerReferences: references(MANY / 2).map((item) => ({ ...item, $patch: 'delete' })) },
    MANY / 2,
  ],
])('very many %s take no longer than they have to', (_case, object, patch, expected) => {
  const { metadata } = merge(asObject({ metadata: object }), plain({ metadata: patch }));
  const lists = Object.values(asObject(metadata)).filter((list) => Array.isArray(list));
  expect(lists.map((list) => new Set(list.map((item) => JSON.stringify(item))).size)).toEqual([expected]);
  expect(lists.map((list) => list.length)).toEqual([expected]);
});

test('long lists are merged in time that grows as they do', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => ({ name: `e${index}`, value: 'x' }));
  const object = asObject({ spec: { containers: [{ name: 'a', env: list }] } });
  const order = list.map(({ name }) => ({ name })).reverse();
  const env = [...list].reverse().map((item) => ({ ...item, value: 'y' }));
  const patch = plain({ spec: { containers: [{ name: 'a', '$setElementOrder/env': order, env }] } });
  const merged = merge(object, patch);
  expect(equalJson(merged, plain({ spec: { containers: [{ name: 'a', env }] } }))).toBe(true);
  expect(decodeObject(POD, merged).unknown).toEqual([]);
});
