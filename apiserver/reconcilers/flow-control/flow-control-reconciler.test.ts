/**
 * Compares the built-in FlowSchemas and PriorityLevelConfigurations with release 1.31.1, and tests their
 * reconciliation.
 */
import { ownMember, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { parseEntry } from '../../registry/object/stored-object';
import type { Reconciler } from '../reconciler';
import { startFlowControlReconciler } from './flow-control-reconciler';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
/** The objects of a cluster of release 1.31.1. */
const recorded = readRecording('flow-control/defaults', body, shape({ resource: text, namespace: text, name: text, object })).cases;
const LEVELS = 'prioritylevelconfigurations';
const SCHEMAS = 'flowschemas';
const AUTO_UPDATE = 'apf.platform.io/autoupdate-spec';
/** Both resources are cluster-scoped. */
const CLUSTER_SCOPED = { namespace: '' };

const stopAfterwards = stopAfterTest<Reconciler>((reconciler) => reconciler.stop());

/** Starts the reconciler. Resolves after two passes: the first creates the objects, the second sets their conditions. */
async function start({ writer, cache, resources, clock }: WriteFixture, names: GeneratedNames): Promise<Reconciler> {
  const reconciler = stopAfterwards(
    startFlowControlReconciler({
      writer,
      cache,
      resources,
      names,
      clock,
      onFailure: (message, error) => {
        throw new Error(message, { cause: error });
      },
    }),
  );
  await reconciler.complete;
  await cache.catchUp();
  await reconciler.trigger();
  await cache.catchUp();
  return reconciler;
}

it('built-in FlowSchemas and PriorityLevelConfigurations equal those of release 1.31.1', async () => {
  const fixture = await openWriteFixture({ naming: 'kubernetes' });
  await start(fixture, GENERATED_NAMES.kubernetes);
  const isTime = (member: string): boolean => member === 'lastTransitionTime';
  /** The stored objects in the form of the recording: without times and fields that the server sets. */
  const storedObjects = (resource: string): unknown[] =>
    [...fixture.cache.snapshot(fixture.resource(resource).stored).range()].map((entry) => {
      const { metadata, spec, status } = parseEntry(entry).object;
      const annotations = (object(metadata) ? ownMember(metadata, 'annotations') : undefined) ?? null;
      const statusWithoutTimes: unknown = JSON.parse(JSON.stringify(status ?? {}), (member, value: unknown) =>
        isTime(member) ? undefined : value,
      );
      return {
        resource,
        namespace: '',
        name: entry.key,
        object: { metadata: { name: entry.key, labels: null, annotations }, spec, status: statusWithoutTimes },
      };
    });
  const sorted = (objects: readonly unknown[]): readonly unknown[] =>
    objects.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  expect(sorted([...storedObjects(LEVELS), ...storedObjects(SCHEMAS)])).toEqual(sorted(recorded));
});

describe('flow control reconciler', () => {
  /** A cluster that has the built-in objects. */
  const cluster = useForEachTest(async () => {
    const fixture = await openWriteFixture();
    return { ...fixture, reconciler: await start(fixture, GENERATED_NAMES.platform) };
  });

  async function reconcileNow(): Promise<void> {
    const { cache, reconciler } = cluster();
    await cache.catchUp();
    await reconciler.trigger();
    await flushPromises();
    await cache.catchUp();
  }

  const specOf = async (resource: string, name: string): Promise<unknown> => (await cluster().stored(resource, name))?.['spec'];

  it.each([
    ['suggested', 'probes', 2],
    ['mandatory', 'catch-all', 10_000],
  ])('recreates a deleted %s FlowSchema', async (_case, name, matchingPrecedence) => {
    await cluster().remove(SCHEMAS, name, CLUSTER_SCOPED);
    await reconcileNow();
    expect(await specOf(SCHEMAS, name)).toMatchObject({ matchingPrecedence });
  });

  it('sets the Dangling condition of a FlowSchema while its priority level does not exist', async () => {
    const { create, stored } = cluster();
    const spec = { priorityLevelConfiguration: { name: 'later' }, matchingPrecedence: 70, rules: [] };
    await create(SCHEMAS, { metadata: { name: 'mine' }, spec }, CLUSTER_SCOPED);
    await reconcileNow();
    const message = expect.stringContaining('"later" but there is no such object');
    expect((await stored(SCHEMAS, 'mine'))?.['status']).toMatchObject({
      conditions: [{ type: 'Dangling', status: 'True', reason: 'NotFound', message }],
    });
    const level = { metadata: { name: 'later' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } };
    await create(LEVELS, level, CLUSTER_SCOPED);
    await reconcileNow();
    expect((await stored(SCHEMAS, 'mine'))?.['status']).toMatchObject({ conditions: [{ status: 'False', reason: 'Found' }] });
  });

  /** Changes a FlowSchema as an operator, reconciles, and resolves with the stored object. `null` removes the annotation. */
  async function changeAndReconcile(name: string, spec: JsonObject, annotation: 'true' | 'false' | null): Promise<JsonObject | undefined> {
    const change = { metadata: { annotations: { [AUTO_UPDATE]: annotation } }, spec };
    await cluster().patch(SCHEMAS, name, 'merge', change, CLUSTER_SCOPED);
    await reconcileNow();
    return cluster().stored(SCHEMAS, name);
  }

  it('restores a changed spec when the autoupdate-spec annotation is true', async () => {
    const schema = await changeAndReconcile('kube-scheduler', { matchingPrecedence: 801 }, 'true');
    expect(schema).toMatchObject({ spec: { matchingPrecedence: 800 } });
  });

  it('keeps a changed spec when the autoupdate-spec annotation is false', async () => {
    const schema = await changeAndReconcile('probes', { matchingPrecedence: 3 }, 'false');
    expect(schema).toMatchObject({ spec: { matchingPrecedence: 3 } });
  });

  it('sets a missing autoupdate-spec annotation to true when the spec was never changed', async () => {
    const schema = await changeAndReconcile('kube-scheduler', {}, null);
    expect(schema).toMatchObject({ metadata: { annotations: { [AUTO_UPDATE]: 'true' } } });
  });

  it('sets a missing autoupdate-spec annotation to false when the spec was changed, and keeps the spec', async () => {
    const schema = await changeAndReconcile('service-accounts', { matchingPrecedence: 9_001 }, null);
    expect(schema).toMatchObject({
      metadata: { annotations: { [AUTO_UPDATE]: 'false' } },
      spec: { matchingPrecedence: 9_001 },
    });
  });

  it('does not restore the shares of the exempt priority level', async () => {
    const exempt = { nominalConcurrencyShares: 3, lendablePercent: 0 };
    await cluster().patch(LEVELS, 'exempt', 'merge', { spec: { exempt } }, CLUSTER_SCOPED);
    await reconcileNow();
    expect(await specOf(LEVELS, 'exempt')).toMatchObject({ exempt });
  });

  it('writes nothing when every object is up to date', async () => {
    const { store } = cluster();
    const before = store.currentRevision;
    await reconcileNow();
    expect(store.currentRevision).toBe(before);
  });
});
