import { GENERATED_NAMES } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import type { Reconciler } from '../reconcilers/reconciler';
import { Definitions } from './definitions';
import { startDefinitionController } from './definition-controller';

const RESOURCE = 'customresourcedefinitions';

interface ControllerFixture extends WriteFixture {
  readonly definitions: Definitions;
  readonly reconciler: Reconciler;
  /** The number of name checks, and of writes by the controller. */
  readonly counts: { judged: number; writes: number };
  /** Failures of reading definitions. */
  readonly faults: readonly string[];
  /** Resolves when nothing is left to do. */
  reconcileAll(): Promise<void>;
}

async function startController(goingBefore = 0): Promise<ControllerFixture> {
  const fixture = await openWriteFixture();
  const { cache, clock } = fixture;
  const counts = { judged: 0, writes: 0 };
  const nothing = (): void => undefined;
  const faults: string[] = [];
  const definitions = new Definitions({
    cache: {
      watch: (...watch) => cache.watch(...watch),
      snapshot: (type) => cache.snapshot(type),
      whenReady: () => Promise.resolve(),
      endWatches: nothing,
      removeType: nothing,
    },
    stored: fixture.resource(RESOURCE).stored,
    clock,
    failed: (message) => void faults.push(message),
  });
  await definitions.complete;
  const namesInUse = definitions.namesInUse.bind(definitions);
  jest.spyOn(definitions, 'namesInUse').mockImplementation((definition) => {
    counts.judged += 1;
    return namesInUse(definition);
  });
  const reconciler = startDefinitionController({
    names: GENERATED_NAMES.platform,
    definitions,
    resource: fixture.resource(RESOURCE),
    cache: {
      waitUntilFresh: () => cache.waitUntilFresh(),
      snapshot: (type) => cache.snapshot(type),
    },
    writer: {
      ...fixture.writer,
      writeComputedStatus(...own) {
        counts.writes += 1;
        return fixture.writer.writeComputedStatus(...own);
      },
    },
    clock,
    precedingReplicas: () => goingBefore,
    onFailure: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const reconcileAll = async (): Promise<void> => {
    for (let before = -1; before !== cache.revision;) {
      before = cache.revision;
      await cache.catchUp();
      await reconciler.trigger();
      await cache.catchUp();
    }
  };
  return { ...fixture, definitions, reconciler, counts, faults, reconcileAll };
}

function definition(plural: string, kind: string, group = 'example.com'): JsonObject {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { plural, kind, singular: plural.slice(0, -1), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

async function conditionOf({ stored }: ControllerFixture, name: string, type: string): Promise<string | undefined> {
  const conditions = arrayAt(objectAt(await stored(RESOURCE, name), 'status'), 'conditions') ?? [];
  const condition = conditions.filter(isObject).find((condition) => stringAt(condition, 'type') === type);
  return stringAt(condition, 'status');
}

test('CustomResourceDefinition controller does the same work for a new definition regardless of the number of definitions', async () => {
  const kept = await startController();
  // The periodic resync is independent of single definitions.
  await kept.reconcileAll();
  const costs: ControllerFixture['counts'][] = [];
  for (let count = 0; count <= 60; count += 1) {
    const before = { ...kept.counts };
    await kept.create(RESOURCE, definition(`things${count}s`, `Thing${count}`));
    await kept.reconcileAll();
    costs.push({ judged: kept.counts.judged - before.judged, writes: kept.counts.writes - before.writes });
  }
  expect(await conditionOf(kept, 'things60s.example.com', 'Established')).toBe('True');
  expect(kept.definitions.rows).toHaveLength(61);
  expect(costs).toEqual(Array(61).fill({ judged: 3, writes: 1 }));
});

test('CustomResourceDefinition controller accepts waiting names when the definition that used them is deleted', async () => {
  const kept = await startController();
  await kept.create(RESOURCE, definition('firsts', 'Same'));
  await kept.reconcileAll();
  await kept.create(RESOURCE, definition('seconds', 'Same'));
  await kept.create(RESOURCE, definition('seconds', 'Same', 'other.example.com'));
  await kept.reconcileAll();
  expect(await conditionOf(kept, 'seconds.example.com', 'NamesAccepted')).toBe('False');
  expect(await conditionOf(kept, 'seconds.other.example.com', 'NamesAccepted')).toBe('True');
  expect(kept.definitions.servesGroupVersion({ group: 'example.com', version: 'v1' })).toBe(true);
  expect(kept.definitions.find('example.com', 'v1', 'seconds')).toBeUndefined();
  await kept.remove(RESOURCE, 'firsts.example.com');
  await kept.reconcileAll();
  expect(await kept.stored(RESOURCE, 'firsts.example.com')).toBeUndefined();
  expect(await conditionOf(kept, 'seconds.example.com', 'NamesAccepted')).toBe('True');
  expect(kept.definitions.find('example.com', 'v1', 'seconds')).toBeDefined();
});

test('CustomResourceDefinition controller sets condition Described to False when OpenAPI omits a definition, until it changes', async () => {
  const kept = await startController();
  const name = 'things.example.com';
  await kept.create(RESOURCE, definition('things', 'Thing'));
  await kept.reconcileAll();
  expect(await conditionOf(kept, name, 'Described')).toBeUndefined();
  kept.definitions.markUndescribed(name, 'v1: it takes too long');
  await kept.reconcileAll();
  expect(await conditionOf(kept, name, 'Described')).toBe('False');
  expect(kept.definitions.find('example.com', 'v1', 'things')).toBeDefined();
  const stored = (await kept.stored(RESOURCE, name)) ?? {};
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', description: 'shorter' } } }];
  await kept.update(RESOURCE, name, { ...stored, spec: { ...objectAt(stored, 'spec'), versions } });
  await kept.reconcileAll();
  expect(await conditionOf(kept, name, 'Described')).toBeUndefined();
  expect(await conditionOf(kept, name, 'Established')).toBe('True');
});

test('CustomResourceDefinition is served although a listener fails for another definition', async () => {
  const kept = await startController();
  kept.definitions.onChange(({ name }) => {
    if (name.startsWith('firsts')) throw new Error('stumbled');
  });
  await kept.create(RESOURCE, definition('firsts', 'First'));
  await kept.create(RESOURCE, definition('seconds', 'Second'));
  await kept.reconcileAll();
  expect(kept.faults).toContain('customresourcedefinitions.apiextensions.platform.io firsts.example.com could not be read');
  expect(kept.definitions.find('example.com', 'v1', 'seconds')).toBeDefined();
});

test('CustomResourceDefinition controller waits one second for each replica that precedes it, then writes the status itself', async () => {
  const kept = await startController(2);
  const name = 'things.example.com';
  await kept.create(RESOURCE, definition('things', 'Thing'));
  await kept.reconcileAll();
  kept.clock.advance(1_999);
  await kept.reconcileAll();
  expect([kept.counts.writes, await conditionOf(kept, name, 'Established')]).toEqual([0, undefined]);
  kept.clock.advance(1);
  await kept.reconcileAll();
  expect([kept.counts.writes, await conditionOf(kept, name, 'Established')]).toEqual([1, 'True']);
});

test('CustomResourceDefinition controller writes no status that another replica has written', async () => {
  const kept = await startController(1);
  const stored = await kept.create(RESOURCE, definition('things', 'Thing'));
  await kept.reconcileAll();
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    reason: type === 'Established' ? 'InitialNamesAccepted' : 'NoConflicts',
    message: type === 'Established' ? 'the initial names have been accepted' : 'no conflicts found',
  }));
  const status = { acceptedNames: names, conditions, storedVersions: ['v1'] };
  await kept.update(RESOURCE, 'things.example.com', { ...stored.object, status }, { subresource: 'status' });
  kept.clock.advance(10_000);
  await kept.reconcileAll();
  expect(kept.counts.writes).toBe(0);
});
