import fc from 'fast-check';
import { cloneJson, equalJson, isObject, type JsonObject, type JsonValue } from '../../values/json';
import { decodeObject } from '../../api/types';
import { StrategicMergeError, strategicMerge } from '.';
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

test('strategicMerge returns an equal object for an empty patch', () => {
  fc.assert(fc.property(pod, (object) => expect(merge(object, {})).toEqual(object)));
});

test('strategicMerge without directives is idempotent and changes neither object nor patch', () => {
  fc.assert(
    fc.property(pod, pod, (object, patch) => {
      const before = cloneJson([object, patch]);
      const once = merge(object, patch);
      expect(merge(once, patch)).toEqual(once);
      expect(equalJson([object, patch], before)).toBe(true);
    }),
  );
});

test('strategicMerge of an object into an empty object or into itself returns that object', () => {
  fc.assert(
    fc.property(pod, (object) => {
      expect(merge({}, object)).toEqual(object);
      expect(merge(object, object)).toEqual(object);
    }),
  );
});

test('strategicMerge with null removes that field and nothing else', () => {
  fc.assert(
    fc.property(pod, fc.constantFrom('metadata', 'spec'), (object, member) => {
      const { [member]: _removed, ...rest } = object;
      expect(merge(object, { [member]: null })).toEqual(rest);
    }),
  );
});

test('strategicMerge of patches to different fields, or to different existing items, is commutative', () => {
  fc.assert(
    fc.property(pod, metadata, spec, (object, first, second) => {
      const a = plain({ metadata: first });
      const b = plain({ spec: second });
      expect(merge(merge(object, a), b)).toEqual(merge(merge(object, b), a));
    }),
  );
  fc.assert(
    fc.property(containers, container, container, (list, first, second) => {
      fc.pre(first.name !== second.name && [first, second].every((item) => list.some((existing) => existing.name === item.name)));
      const object = asObject({ spec: { containers: list } });
      const a = plain({ spec: { containers: [first] } });
      const b = plain({ spec: { containers: [second] } });
      expect(merge(merge(object, a), b)).toEqual(merge(merge(object, b), a));
    }),
  );
});

test('strategicMerge sorts the items by a $setElementOrder that names all of them', () => {
  fc.assert(
    fc.property(containers, containers, fc.shuffledSubarray([...names], { minLength: names.length }), (list, changes, order) => {
      const patched = order.flatMap((name) => changes.filter((item) => item.name === name));
      const patch = { spec: { '$setElementOrder/containers': order.map((name) => ({ name })), containers: patched } };
      fc.pre(list.length > 0);
      const result = plain(merge(asObject({ spec: { containers: list } }), plain(patch)));
      const ordered = order.filter((name) => [...list, ...changes].some((item) => item.name === name)).map((name) => ({ name }));
      expect(result).toMatchObject({ spec: { containers: ordered } });
    }),
  );
});

test('strategicMerge removes items with $patch: delete and keeps the others in their places', () => {
  fc.assert(
    fc.property(containers, fc.subarray([...names]), (list, removed) => {
      const patch = plain({ spec: { containers: removed.map((name) => ({ name, $patch: 'delete' })) } });
      const kept = list.filter((item) => !removed.includes(item.name));
      expect(merge(asObject({ spec: { containers: list } }), patch)).toEqual(plain({ spec: { containers: kept } }));
    }),
  );
});

const DIRECTIVES = [
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '$deleteFromPrimitiveList/finalizers',
  '$setElementOrder/finalizers',
  '$setElementOrder',
];
const FIELDS = ['metadata', 'spec', 'containers', 'finalizers', 'name', 'env', 'labels', '__proto__', 'constructor', 'hasOwnProperty'];
/** Directives and fields in places and with values that make sense only by accident. */
const arbitraryPatch: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, 'replace', 'delete', 'merge', 'a', 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...DIRECTIVES, ...FIELDS), tie('value')), { maxLength: 4 }).map((members) => objectOf(members)),
  ),
})).value;

/** Via JSON text, so that `__proto__` becomes a member. */
function objectOf(members: readonly (readonly [string, JsonValue])[]): JsonValue {
  return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);
}

test('strategicMerge returns an object or throws a StrategicMergeError, whatever the patch', () => {
  fc.assert(
    fc.property(pod, arbitraryPatch, (object, patch) => {
      if (!isObject(patch)) return;
      const before = JSON.stringify([object, patch]);
      try {
        const result = strategicMerge(POD, object, patch);
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      } catch (error) {
        expect(error).toBeInstanceOf(StrategicMergeError);
      }
      expect(JSON.stringify([object, patch])).toBe(before);
    }),
    propertyRuns(250),
  );
});

test('strategicMerge rejects a patch that exceeds the maximal depth', () => {
  const deep: JsonValue = JSON.parse(`${'{"x":'.repeat(5000)}1${'}'.repeat(5000)}`);
  expect(() => strategicMerge(POD, {}, isObject(deep) ? deep : {})).toThrow(new StrategicMergeError('content', 'exceeded max depth'));
});

// Quadratic merging of the following lists would exceed the time limit of a test.

const MANY = 50_000;
/** The values from `a/<from>` on. */
const many = (from: number): string[] => Array.from({ length: MANY }, (_, index) => `a/${from + index}`);
const references = (from: number): object[] => many(from).map((uid) => ({ uid }));

test.each<[title: string, metadata: object, patch: object, expectedLength: number]>([
  ['adding values of which half exist', { finalizers: many(0) }, { finalizers: many(MANY / 2) }, MANY * 1.5],
  [
    'adding values with a $setElementOrder',
    { finalizers: many(0) },
    { finalizers: many(MANY), '$setElementOrder/finalizers': many(MANY) },
    MANY * 2,
  ],
  [
    'deleting values with $deleteFromPrimitiveList',
    { finalizers: many(0) },
    { '$deleteFromPrimitiveList/finalizers': many(MANY / 2) },
    MANY / 2,
  ],
  ['adding items of which half exist', { ownerReferences: references(0) }, { ownerReferences: references(MANY / 2) }, MANY * 1.5],
  [
    'deleting items with $patch: delete',
    { ownerReferences: references(0) },
    { ownerReferences: references(MANY / 2).map((item) => ({ ...item, $patch: 'delete' })) },
    MANY / 2,
  ],
])('strategicMerge handles 50,000 list entries in linear time when %s', (_title, original, patch, expectedLength) => {
  const { metadata } = merge(asObject({ metadata: original }), plain({ metadata: patch }));
  const [list = []] = Object.values(asObject(metadata)).filter((value) => Array.isArray(value));
  expect(list).toHaveLength(expectedLength);
  const distinctItems = new Set(list.map((item) => JSON.stringify(item)));
  expect(distinctItems.size).toBe(expectedLength);
});

test('strategicMerge merges lists of 20,000 items with an order in linear time', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => ({ name: `e${index}`, value: 'x' }));
  const object = asObject({ spec: { containers: [{ name: 'a', env: list }] } });
  const order = list.map(({ name }) => ({ name })).reverse();
  const env = [...list].reverse().map((item) => ({ ...item, value: 'y' }));
  const patch = plain({ spec: { containers: [{ name: 'a', '$setElementOrder/env': order, env }] } });
  const merged = merge(object, patch);
  expect(equalJson(merged, plain({ spec: { containers: [{ name: 'a', env }] } }))).toBe(true);
  expect(decodeObject(POD, merged).unknown).toEqual([]);
});
