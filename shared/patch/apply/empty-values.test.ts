/** Apply keeps values that the configuration sets to empty, whatever the manager owned there before. */
import * as fc from 'fast-check';
import { readSchema } from '../../api/structural/read-schema';
import { equalJson, isObject, ownMember, type JsonObject, type JsonValue } from '../../values/json';
import { applyConfiguration } from './apply';
import { customMergeShape } from './custom-merge-shape';
import type { FieldManager, ManagedObject } from './managed-fields';
import { recordUpdate, type VersionViews, type VersionView } from './record-update';
import { mergeShapeOf } from './merge-shape';
import { propertyRuns } from '../../../test/support/property-runs';

const NOW = '2026-01-02T03:04:05Z';
const text = { type: 'string' };
const pair = { type: 'object', properties: { x: text, y: text } };
const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    properties: { name: text, value: text, pair, names: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
  },
};
const node = readSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        keyed,
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        atomic: { type: 'array', items: text },
        map: { type: 'object', additionalProperties: text },
        pairs: { type: 'object', additionalProperties: pair },
        lists: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
        pair,
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

const same = (object: JsonObject): JsonObject => object;
/** Views of a kind with a single version. */
const viewsOf = (shape: VersionView['shape']): VersionViews => {
  const view: VersionView = { shape, resets: {}, toVersion: same, fromVersion: same };
  return { served: view, viewOf: (apiVersion) => (apiVersion === 'v1' ? view : undefined) };
};
const CUSTOM = viewsOf(customMergeShape(node));

const NOTHING: ManagedObject = { object: { metadata: {} }, entries: [] };
const manager = (name: string, operation: FieldManager['operation']): FieldManager => ({
  name,
  operation,
  apiVersion: 'v1',
  subresource: '',
});

/** Takes over fields of other managers (`force`), so that conflicts do not matter here. */
function forceApplyObject(live: ManagedObject, config: JsonObject, name: string, views: VersionViews): ManagedObject {
  return applyConfiguration(live, config, { views, manager: manager(name, 'Apply'), force: true, now: NOW });
}

const forceApply = (live: ManagedObject, spec: JsonValue, name = 'm', views = CUSTOM): ManagedObject =>
  forceApplyObject(live, { spec }, name, views);

function update(before: ManagedObject, object: JsonObject): ManagedObject {
  return { object, entries: recordUpdate(before, object, { views: CUSTOM, manager: manager('u', 'Update'), now: NOW }) };
}

const CASES: readonly (readonly [title: string, before: JsonValue, stated: JsonValue])[] = [
  ['a keyed list', { keyed: [{ name: 'a', value: '1' }] }, { keyed: [] }],
  ['a keyed list among other fields', { keyed: [{ name: 'a' }], pair: { x: '1' } }, { keyed: [] }],
  ['a set', { set: ['a'] }, { set: [] }],
  ['an atomic list', { atomic: ['a'] }, { atomic: [] }],
  ['a map', { map: { a: '1' } }, { map: {} }],
  ['a map of objects', { pairs: { a: { x: '1' } } }, { pairs: {} }],
  ['an object in a map', { pairs: { a: { x: '1' } } }, { pairs: { a: {} } }],
  ['a list in a map', { lists: { a: ['1'] } }, { lists: { a: [] } }],
  ['an object', { pair: { x: '1' } }, { pair: {} }],
  ['the spec', { pair: { x: '1' }, set: ['a'] }, {}],
  ['an object in an item', { keyed: [{ name: 'a', pair: { x: '1' } }] }, { keyed: [{ name: 'a', pair: {} }] }],
  ['a list in an item', { keyed: [{ name: 'a', names: ['x'] }] }, { keyed: [{ name: 'a', names: [] }] }],
  ['an object without a schema', { free: { a: { b: '1' } } }, { free: { a: {} } }],
  ['a list without a schema', { free: { a: ['1'] } }, { free: { a: [] } }],
];

it.each(CASES)('apply keeps %s that the configuration sets to empty', (_title, before, stated) => {
  expect(forceApply(forceApply(NOTHING, before), stated).object).toEqual({ metadata: {}, spec: stated });
});

it.each(CASES)('a repeated apply that sets %s to empty changes nothing', (_title, before, stated) => {
  const once = forceApply(forceApply(NOTHING, before), stated);
  expect(forceApply(once, stated)).toEqual(once);
});

it.each(CASES)('apply removes %s that the configuration no longer contains', (_title, before) => {
  expect(forceApplyObject(forceApply(NOTHING, before), {}, 'm', CUSTOM)).toEqual(NOTHING);
});

it('apply keeps null for a spec that had fields', () => {
  expect(forceApply(forceApply(NOTHING, { pair: { x: '1' } }), null).object['spec']).toBeNull();
});

it('apply keeps the items of other managers in a list that the configuration sets to empty', () => {
  const both = forceApply(forceApply(NOTHING, { set: ['a'] }, 'n'), { set: ['b'] });
  expect(forceApply(both, { set: [] }).object['spec']).toEqual({ set: ['a'] });
});

it('apply keeps an empty map that an update created when the configuration no longer contains its only key', () => {
  const created = update(NOTHING, { metadata: {}, spec: { map: {} } });
  const withKey = forceApply(created, { map: { a: '1' } });
  expect(forceApply(withKey, {}).object['spec']).toEqual({ map: {} });
});

it('apply keeps nulls of the configuration', () => {
  const before = forceApply(NOTHING, { set: ['a'], pair: { x: '1' } });
  expect(forceApply(before, { set: null, pair: null }).object['spec']).toEqual({ set: null, pair: null });
});

it('apply keeps empty values in a built-in kind', () => {
  const pods = viewsOf(mergeShapeOf('core.v1.Pod'));
  const container = { name: 'c', image: 'i', securityContext: { runAsUser: 1 }, env: [{ name: 'A', value: '1' }] };
  const before = forceApply(
    NOTHING,
    { containers: [container], volumes: [{ name: 'v', emptyDir: {} }], securityContext: { runAsUser: 1 } },
    'm',
    pods,
  );
  const stated = { containers: [{ name: 'c', image: 'i', securityContext: {}, env: [] }], volumes: [], securityContext: {} };
  expect(forceApply(before, stated, 'm', pods).object['spec']).toEqual(stated);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
const texts = names.map((keys) => Object.fromEntries(keys.map((key) => [key, '1'])));
const pairs = fc.dictionary(fc.constantFrom('x', 'y'), fc.constant('1'));
const item = fc.record({ name: fc.constantFrom('a', 'b'), value: fc.constant('1'), pair: pairs, names }, { requiredKeys: ['name'] });
const spec: fc.Arbitrary<JsonObject> = fc.record(
  {
    keyed: fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 2 }),
    set: names,
    atomic: names,
    map: texts,
    pairs: fc.dictionary(fc.constantFrom('a', 'b'), pairs),
    lists: fc.dictionary(fc.constantFrom('a', 'b'), names),
    pair: pairs,
    free: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(pairs, names)),
  },
  { requiredKeys: [] },
);

/** Whether a value contains everything that a configuration states. Items that are objects are matched by name, scalar items by value. */
function containsStated(value: JsonValue | undefined, stated: JsonValue): boolean {
  if (isObject(stated))
    return isObject(value) && Object.keys(stated).every((name) => containsStated(ownMember(value, name), stated[name] ?? null));
  if (!Array.isArray(stated)) return value !== undefined && equalJson(value, stated);
  if (!Array.isArray(value)) return false;
  return stated.every((wanted) =>
    value.some((actual) =>
      isObject(wanted) && isObject(actual) && actual['name'] !== wanted['name'] ? false : containsStated(actual, wanted),
    ),
  );
}

it('apply leaves everything that its configuration states, and adds no null', () => {
  // A manager that applies again must also lose what it no longer states: 'm' applies twice as often as 'n'.
  const step = fc.record({ by: fc.constantFrom('m', 'm', 'n'), spec });
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 5 }), (steps) => {
      let state = NOTHING;
      for (const { by, spec: stated } of steps) {
        state = forceApply(state, stated, by);
        expect(containsStated(state.object['spec'], stated)).toBe(true);
        expect(JSON.stringify(state.object)).not.toContain('null');
      }
    }),
    propertyRuns(150),
  );
});
