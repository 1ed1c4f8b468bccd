import * as fc from 'fast-check';
import type { JsonObject } from '../../values/json';
import { decodeObject } from '../../api/types';
import { ApplyConflict, applyConfiguration, type ApplyConfigurationOptions } from './apply';
import { writeManagedFields, type FieldManager, type ManagedObject } from './managed-fields';
import { listMemberPaths, formatElementPath, type FieldSet } from './field-set';
import { recordUpdate, type VersionViews, type VersionView } from './record-update';
import { mergeShapeOf } from './merge-shape';
import { shapeErrors } from './typed';

const NOW = '2026-01-02T03:04:05Z';
const LATER = '2026-01-02T03:04:06Z';
const CONFIG_MAP = viewsOf('core.v1.ConfigMap', {});
const SERVICE_ACCOUNT = viewsOf('core.v1.ServiceAccount', {});
const POD = viewsOf('core.v1.Pod', { 'f:status': {} });

/** Views of a kind with a single version. */
function viewsOf(type: string, resets: FieldSet): VersionViews {
  const same = (object: JsonObject): JsonObject => object;
  const view: VersionView = { shape: mergeShapeOf(type), resets, toVersion: same, fromVersion: same };
  return { served: view, viewOf: (apiVersion) => (apiVersion === 'v1' ? view : undefined) };
}

const applier = (name: string): FieldManager => ({ name, operation: 'Apply', apiVersion: 'v1', subresource: '' });
const updater = (name: string): FieldManager => ({ name, operation: 'Update', apiVersion: 'v1', subresource: '' });

const NOTHING: ManagedObject = { object: { metadata: {} }, entries: [] };

/** Applies a configuration as the manager `name`: to a ConfigMap and without force, unless `options` states otherwise. */
function apply(live: ManagedObject, config: JsonObject, name: string, options: Partial<ApplyConfigurationOptions> = {}): ManagedObject {
  return applyConfiguration(live, config, { views: CONFIG_MAP, manager: applier(name), force: false, now: NOW, ...options });
}

function update(before: ManagedObject, object: JsonObject, name: string, views = CONFIG_MAP): ManagedObject {
  return { object, entries: recordUpdate(before, object, { views, manager: updater(name), now: NOW }) };
}

/** The paths of the fields that a manager owns. */
const paths = ({ entries }: ManagedObject, name: string): string[] =>
  entries.filter(({ manager }) => manager.name === name).flatMap(({ fields }) => listMemberPaths(fields).map(formatElementPath));

const values = fc.constantFrom('1', '2', '3');
const dataOf = (keys: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.dictionary(fc.constantFrom(...keys), values).map((data): JsonObject => ({ metadata: {}, data }));

describe('applyConfiguration and recordUpdate', () => {
  it('change neither the object nor its managed fields when the same configuration is applied again', () => {
    fc.assert(
      fc.property(dataOf(['a', 'b', 'c']), dataOf(['a', 'b', 'c']), (first, second) => {
        const before = apply(NOTHING, first, 'other');
        const once = apply(before, second, 'm', { force: true });
        const twice = apply(once, second, 'm', { now: LATER });
        expect(twice.object).toEqual(once.object);
        expect(writeManagedFields(twice.entries)).toEqual(writeManagedFields(once.entries));
      }),
    );
  });

  it('remove the fields that only the applying manager owned and no longer applies', () => {
    fc.assert(
      fc.property(dataOf(['a', 'b']), dataOf(['c', 'd']), (own, more) => {
        const before = apply(NOTHING, own, 'other');
        const applied = apply(before, more, 'm');
        const after = apply(applied, { metadata: {} }, 'm');
        const data = (object: JsonObject): unknown => ({ ...Object(object['data']) });
        expect(data(after.object)).toEqual(data(before.object));
        expect(writeManagedFields(after.entries)).toEqual(writeManagedFields(before.entries));
      }),
    );
  });

  it('give the same result for managers of different fields in either order', () => {
    fc.assert(
      fc.property(dataOf(['a', 'b']), dataOf(['c', 'd']), (first, second) => {
        const forward = apply(apply(NOTHING, first, 'x'), second, 'y');
        const backward = apply(apply(NOTHING, second, 'y'), first, 'x');
        expect(forward.object).toEqual(backward.object);
        // Only the times reveal the order.
        const untimed = ({ entries }: ManagedObject): unknown => writeManagedFields(entries.map((entry) => ({ ...entry, time: NOW })));
        expect(untimed(forward)).toEqual(untimed(backward));
      }),
    );
  });

  it('make an updating manager the only owner of the fields that it changes', () => {
    fc.assert(
      fc.property(dataOf(['a', 'b', 'c']), dataOf(['a', 'b', 'c']), (first, second) => {
        const before = update(NOTHING, first, 'x');
        const after = update(before, second, 'y');
        const owned = new Set(paths(after, 'y'));
        for (const path of paths(after, 'x')) expect(owned.has(path)).toBe(false);
        for (const [key, value] of Object.entries(Object(second['data']))) {
          const kept = Object(first['data'])[key] === value;
          expect(paths(after, kept ? 'x' : 'y')).toContain(`.data.${key}`);
        }
      }),
    );
  });
});

describe('an apply conflict', () => {
  const owned = apply(NOTHING, { metadata: {}, data: { a: '1', b: '1' } }, 'm');

  it('names the manager and the field of a single conflict', () => {
    expect(() => apply(owned, { metadata: {}, data: { a: '2' } }, 'n')).toThrow('Apply failed with 1 conflict: conflict with "m": .data.a');
  });

  it('names the managers and fields of several conflicts', () => {
    const both = update(owned, { metadata: { labels: { x: 'y' } }, data: { a: '1', b: '1' } }, 'u');
    try {
      apply(both, { metadata: { labels: { x: 'z' } }, data: { a: '2', b: '2' } }, 'n');
      throw new Error('no conflict');
    } catch (error) {
      if (!(error instanceof ApplyConflict)) throw error;
      expect(error.message).toBe(
        'Apply failed with 3 conflicts: conflicts with "m":\n- .data.a\n- .data.b\nconflicts with "u" using v1:\n- .metadata.labels.x',
      );
      expect(error.causes).toContainEqual({ message: 'conflict with "u" using v1', field: '.metadata.labels.x' });
    }
  });

  it('does not arise for an equal value, which both managers then own', () => {
    const shared = apply(owned, { metadata: {}, data: { a: '1' } }, 'n');
    expect(paths(shared, 'm')).toEqual(['.data.a', '.data.b']);
    expect(paths(shared, 'n')).toEqual(['.data.a']);
    // The field stays when one of the two no longer applies it.
    expect(apply(shared, { metadata: {}, data: { b: '1' } }, 'm').object).toEqual({ metadata: {}, data: { a: '1', b: '1' } });
  });

  it('is resolved with force by taking the field from the other managers', () => {
    const forced = apply(owned, { metadata: {}, data: { a: '2' } }, 'n', { force: true });
    expect(forced.object).toEqual({ metadata: {}, data: { a: '2', b: '1' } });
    expect(paths(forced, 'm')).toEqual(['.data.b']);
  });
});

describe('applyConfiguration', () => {
  it('gives the entry of a manager no time when its first apply changes nothing in the object', () => {
    const live = apply(NOTHING, { metadata: {}, data: { a: '1' } }, 'm');
    const shared = apply(live, { metadata: {}, data: { a: '1' } }, 'n');
    const entryOfN = shared.entries.find(({ manager }) => manager.name === 'n');
    expect(entryOfN).toMatchObject({ time: undefined });
  });
});

describe('applyConfiguration on keyed lists', () => {
  /** A ServiceAccount with secrets of these names. The list of secrets is keyed by name. */
  const withSecrets = (names: string[]): JsonObject => ({ metadata: {}, secrets: names.map((name) => ({ name })) });
  const secretNames = ({ object }: ManagedObject): unknown => Object(object['secrets']).map(({ name }: { name: string }) => name);
  const applySecrets = (live: ManagedObject, manager: string, names: string[], force = false): ManagedObject =>
    apply(live, withSecrets(names), manager, { views: SERVICE_ACCOUNT, force });

  it('keeps the order of the applied items, and live items between the applied items around them', () => {
    const live = update(NOTHING, withSecrets(['a', 'b', 'c', 'd']), 'u', SERVICE_ACCOUNT);
    const forceApply = (names: string[]): ManagedObject => applySecrets(live, 'm', names, true);
    expect(secretNames(forceApply(['d', 'a']))).toEqual(['b', 'c', 'd', 'a']);
    expect(secretNames(forceApply(['x', 'c']))).toEqual(['a', 'b', 'x', 'c', 'd']);
    expect(secretNames(forceApply(['b']))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('removes items that no manager applies any more', () => {
    const appliedByM = applySecrets(NOTHING, 'm', ['a', 'b']);
    const appliedByBoth = applySecrets(appliedByM, 'n', ['b', 'c']);
    const withoutBOfM = applySecrets(appliedByBoth, 'm', ['a']);
    expect(secretNames(withoutBOfM)).toEqual(['a', 'b', 'c']);
    const withoutBOfN = applySecrets(appliedByBoth, 'n', ['c']);
    expect(secretNames(withoutBOfN)).toEqual(['a', 'b', 'c']);
    const withoutB = applySecrets(withoutBOfM, 'n', ['c']);
    expect(secretNames(withoutB)).toEqual(['a', 'c']);
  });

  it('matches an item by the default of an omitted key field', () => {
    const ports = (port: JsonObject): JsonObject => ({ metadata: {}, spec: { containers: [{ name: 'c', ports: [port] }] } });
    const { object } = decodeObject('core.v1.Pod', ports({ containerPort: 80, protocol: 'TCP', name: 'web' }));
    const applied = apply(update(NOTHING, object, 'u', POD), ports({ containerPort: 80, hostPort: 81 }), 'm', { views: POD });
    expect(applied.object).toMatchObject(ports({ containerPort: 80, protocol: 'TCP', name: 'web', hostPort: 81 }));
    expect(paths(applied, 'm')).toContain('.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].hostPort');
  });
});

describe('recordUpdate', () => {
  it('merges the oldest entries of more than ten updating managers into ancient-changes', () => {
    let state = update(NOTHING, { metadata: {}, data: {} }, 'first');
    for (let i = 0; i < 14; i += 1) {
      const data = { ...Object(state.object['data']), [`k${i}`]: 'v' };
      state = update(state, { metadata: {}, data }, `m${String(i).padStart(2, '0')}`);
    }
    expect(state.entries).toHaveLength(10);
    expect(paths(state, 'ancient-changes')).toEqual(expect.arrayContaining(['.data.k0', '.data.k1']));
    // `.data` of the first manager and the 14 keys: every field still has an owner.
    const ownedPaths = state.entries.flatMap(({ fields }) => listMemberPaths(fields).map(formatElementPath));
    expect(new Set(ownedPaths).size).toBe(15);
  });
});

describe('shapeErrors', () => {
  it.each<[JsonObject, string[]]>([
    [{ foo: 1 }, ['.foo: field not declared in schema']],
    [{ spec: { nodeName: 1 } }, ['.spec.nodeName: expected string, got &value.valueUnstructured{Value:1}']],
    [{ spec: { hostNetwork: 'x' } }, ['.spec.hostNetwork: expected boolean, got &{x}']],
    [{ spec: { priority: {} } }, ['.spec.priority: expected numeric (int or float), got map[string]interface {}']],
    [{ metadata: { labels: ['x'] } }, ['.metadata.labels: expected map, got &{[x]}']],
    [{ metadata: { finalizers: { a: true } } }, ['.metadata.finalizers: expected list, got &{map[a:true]}']],
    [{ metadata: { finalizers: ['a/b', 'a/b'] } }, ['.metadata.finalizers: duplicate entries for key [="a/b"]']],
    [{ spec: { containers: [{ name: 'a' }, { name: 'a' }] } }, ['.spec.containers: duplicate entries for key [name="a"]']],
    [{ spec: { containers: ['x'] } }, ['.spec.containers: element 0: associative list with keys may not have non-map elements']],
    [{ spec: { containers: null, nodeName: null } }, []],
  ])('reports the errors of the configuration %j', (object, errors) => {
    expect(shapeErrors(POD.served.shape, object)).toEqual(errors);
  });
});
