/** The CustomResourceDefinition controller on an in-memory store: names, conditions, deletion, and several replicas. */
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import type { Reconciler } from '../reconcilers/reconciler';
import { ESTABLISHED } from './conditions';
import { Definitions } from './definitions';
import { startDefinitionController } from './definition-controller';

const RESOURCE = 'customresourcedefinitions';

/** A running controller on an in-memory store. */
interface ControllerFixture extends WriteFixture {
  readonly definitions: Definitions;
  readonly reconciler: Reconciler;
  /** The number of name checks, and of writes by the controller. */
  readonly counts: { nameChecks: number; writes: number };
  /** Messages about definitions that could not be read. */
  readonly readErrors: readonly string[];
  /** Reconciles until the store does not change any more. */
  reconcileAll(): Promise<void>;
}

async function startController({ precedingReplicas } = { precedingReplicas: 0 }): Promise<ControllerFixture> {
  const fixture = await openWriteFixture();
  const { cache, clock } = fixture;
  const counts = { nameChecks: 0, writes: 0 };
  const readErrors: string[] = [];
  const definitions = new Definitions({
    cache: {
      watch: (...watch) => cache.watch(...watch),
      snapshot: (type) => cache.snapshot(type),
      whenReady: () => Promise.resolve(),
      endWatches: () => undefined,
      removeType: () => undefined,
    },
    stored: fixture.resource(RESOURCE).stored,
    clock,
    onFailure: (message) => void readErrors.push(message),
  });
  await definitions.complete;
  const namesInUse = definitions.namesInUse.bind(definitions);
  jest.spyOn(definitions, 'namesInUse').mockImplementation((definition) => {
    counts.nameChecks += 1;
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
      writeComputedStatus(...args) {
        counts.writes += 1;
        return fixture.writer.writeComputedStatus(...args);
      },
    },
    clock,
    precedingReplicas: () => precedingReplicas,
    onFailure: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const reconcileAll = async (): Promise<void> => {
    let revisionBefore: number;
    do {
      revisionBefore = cache.revision;
      await cache.catchUp();
      await reconciler.trigger();
      await cache.catchUp();
    } while (cache.revision !== revisionBefore);
  };
  return { ...fixture, definitions, reconciler, counts, readErrors, reconcileAll };
}

/** A definition that requests these names. */
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

/** The status of a condition of the stored definition; `undefined` when it has no such condition. */
async function conditionOf({ stored }: ControllerFixture, name: string, type: string): Promise<string | undefined> {
  const conditions = arrayAt(objectAt(await stored(RESOURCE, name), 'status'), 'conditions') ?? [];
  const condition = conditions.filter(isObject).find((condition) => stringAt(condition, 'type') === type);
  return stringAt(condition, 'status');
}

describe('CustomResourceDefinition controller', () => {
  it('does the same work for a new definition regardless of the number of definitions', async () => {
    const fixture = await startController();
    // The periodic resync is independent of single definitions.
    await fixture.reconcileAll();
    /** The work for each new definition. */
    const costs: ControllerFixture['counts'][] = [];
    for (let count = 0; count <= 60; count += 1) {
      const countsBefore = { ...fixture.counts };
      await fixture.create(RESOURCE, definition(`things${count}s`, `Thing${count}`));
      await fixture.reconcileAll();
      costs.push({ nameChecks: fixture.counts.nameChecks - countsBefore.nameChecks, writes: fixture.counts.writes - countsBefore.writes });
    }
    expect(await conditionOf(fixture, 'things60s.example.com', 'Established')).toBe('True');
    expect(fixture.definitions.rows).toHaveLength(61);
    // The names are checked when the definition is created, when it is reconciled, and after the write of its status.
    expect(costs).toEqual(Array(61).fill({ nameChecks: 3, writes: 1 }));
  });

  it('accepts waiting names when the definition that used them is deleted', async () => {
    const fixture = await startController();
    await fixture.create(RESOURCE, definition('firsts', 'Same'));
    await fixture.reconcileAll();
    await fixture.create(RESOURCE, definition('seconds', 'Same'));
    await fixture.create(RESOURCE, definition('seconds', 'Same', 'other.example.com'));
    await fixture.reconcileAll();
    expect(await conditionOf(fixture, 'seconds.example.com', 'NamesAccepted')).toBe('False');
    expect(await conditionOf(fixture, 'seconds.other.example.com', 'NamesAccepted')).toBe('True');
    expect(fixture.definitions.servesGroupVersion({ group: 'example.com', version: 'v1' })).toBe(true);
    expect(fixture.definitions.find('example.com', 'v1', 'seconds')).toBeUndefined();
    await fixture.remove(RESOURCE, 'firsts.example.com');
    await fixture.reconcileAll();
    expect(await fixture.stored(RESOURCE, 'firsts.example.com')).toBeUndefined();
    expect(await conditionOf(fixture, 'seconds.example.com', 'NamesAccepted')).toBe('True');
    expect(fixture.definitions.find('example.com', 'v1', 'seconds')).toBeDefined();
  });

  it('sets the condition Described to False while OpenAPI omits a definition, until the definition changes', async () => {
    const fixture = await startController();
    const name = 'things.example.com';
    await fixture.create(RESOURCE, definition('things', 'Thing'));
    await fixture.reconcileAll();
    expect(await conditionOf(fixture, name, 'Described')).toBeUndefined();
    fixture.definitions.markUndescribed(name, 'v1: it takes too long');
    await fixture.reconcileAll();
    expect(await conditionOf(fixture, name, 'Described')).toBe('False');
    expect(fixture.definitions.find('example.com', 'v1', 'things')).toBeDefined();
    const stored = (await fixture.stored(RESOURCE, name)) ?? {};
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', description: 'shorter' } } }];
    await fixture.update(RESOURCE, name, { ...stored, spec: { ...objectAt(stored, 'spec'), versions } });
    await fixture.reconcileAll();
    expect(await conditionOf(fixture, name, 'Described')).toBeUndefined();
    expect(await conditionOf(fixture, name, 'Established')).toBe('True');
  });

  it('handles a definition although a listener fails for another one', async () => {
    const fixture = await startController();
    fixture.definitions.onChange(({ name }) => {
      if (name.startsWith('firsts')) throw new Error('stumbled');
    });
    await fixture.create(RESOURCE, definition('firsts', 'First'));
    await fixture.create(RESOURCE, definition('seconds', 'Second'));
    await fixture.reconcileAll();
    expect(fixture.readErrors).toContain('customresourcedefinitions.apiextensions.platform.io firsts.example.com could not be read');
    expect(fixture.definitions.find('example.com', 'v1', 'seconds')).toBeDefined();
  });

  it('waits one second for each replica that precedes it, then writes the status itself', async () => {
    const fixture = await startController({ precedingReplicas: 2 });
    const name = 'things.example.com';
    await fixture.create(RESOURCE, definition('things', 'Thing'));
    await fixture.reconcileAll();
    fixture.clock.advance(1_999);
    await fixture.reconcileAll();
    expect(fixture.counts.writes).toBe(0);
    expect(await conditionOf(fixture, name, 'Established')).toBeUndefined();
    fixture.clock.advance(1);
    await fixture.reconcileAll();
    expect(fixture.counts.writes).toBe(1);
    expect(await conditionOf(fixture, name, 'Established')).toBe('True');
  });

  it('writes no status that another replica has written', async () => {
    const fixture = await startController({ precedingReplicas: 1 });
    const stored = await fixture.create(RESOURCE, definition('things', 'Thing'));
    await fixture.reconcileAll();
    const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
    const lastTransitionTime = '2026-01-02T03:04:05Z';
    const noConflicts = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
    const conditions = [
      { ...noConflicts, lastTransitionTime },
      { ...ESTABLISHED, lastTransitionTime },
    ];
    const status = { acceptedNames: names, conditions, storedVersions: ['v1'] };
    await fixture.update(RESOURCE, 'things.example.com', { ...stored.object, status }, { subresource: 'status' });
    fixture.clock.advance(10_000);
    await fixture.reconcileAll();
    expect(fixture.counts.writes).toBe(0);
  });
});
