/**
 * Compares the built-in FlowSchemas and PriorityLevelConfigurations with release 1.31.1, and tests their
 * reconciliation.
 */
import { ownMember, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { parseEntry } from '../../registry/object/stored-object';
import type { Reconciler } from '../reconciler';
import { startFlowControlReconciler } from './flow-control-reconciler';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const recorded = readRecording('flow-control/defaults', body, shape({ resource: text, namespace: text, name: text, object })).cases;
const LEVELS = 'prioritylevelconfigurations';
const SCHEMAS = 'flowschemas';
const MARK = 'apf.platform.io/autoupdate-spec';

let fixture: WriteFixture;
let reconciler: Reconciler | undefined;

async function start(naming: 'platform' | 'kubernetes' = 'platform'): Promise<Reconciler> {
  reconciler = startFlowControlReconciler({
    writer: fixture.writer,
    cache: fixture.cache,
    resources: fixture.resources,
    names: GENERATED_NAMES[naming],
    clock: fixture.clock,
    onFailure: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  await reconciler.complete;
  await fixture.cache.catchUp();
  await reconciler.trigger();
  await fixture.cache.catchUp();
  return reconciler;
}
afterEach(() => reconciler?.stop());

async function read(resource: string, name: string): Promise<JsonObject> {
  const object = await fixture.stored(resource, name);
  if (object === undefined) throw new Error(`there is no ${name}`);
  return object;
}

it('built-in FlowSchemas and PriorityLevelConfigurations equal those of release 1.31.1', async () => {
  fixture = await openWriteFixture({ naming: 'kubernetes' });
  await start('kubernetes');
  /** The stored objects as the recording has them: without times and fields that the server sets. */
  const shown = (resource: string): unknown[] =>
    [...fixture.cache.snapshot(fixture.resource(resource).stored).range()].map((entry) => {
      const { metadata, spec, status } = parseEntry(entry).object;
      const annotations = (object(metadata) ? ownMember(metadata, 'annotations') : undefined) ?? null;
      const timeless: unknown = JSON.parse(JSON.stringify(status ?? {}), (member, value: unknown) =>
        member === 'lastTransitionTime' ? undefined : value,
      );
      return {
        resource,
        namespace: '',
        name: entry.key,
        object: { metadata: { name: entry.key, labels: null, annotations }, spec, status: timeless },
      };
    });
  const inOrder = (list: readonly unknown[]): readonly unknown[] =>
    [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  expect(inOrder([...shown(LEVELS), ...shown(SCHEMAS)])).toEqual(inOrder(recorded));
});

describe('flow schema reconciler', () => {
  beforeEach(async () => {
    fixture = await openWriteFixture();
    await start();
  });
  const reconcileNow = async (): Promise<void> => {
    await fixture.cache.catchUp();
    await reconciler?.trigger();
    await flushPromises(2);
    await fixture.cache.catchUp();
  };

  it('recreates deleted FlowSchemas, suggested and mandatory ones', async () => {
    await fixture.remove(SCHEMAS, 'probes', { namespace: '' });
    await fixture.remove(SCHEMAS, 'catch-all', { namespace: '' });
    await reconcileNow();
    expect((await read(SCHEMAS, 'probes'))['spec']).toMatchObject({ matchingPrecedence: 2 });
    expect((await read(SCHEMAS, 'catch-all'))['spec']).toMatchObject({ matchingPrecedence: 10_000 });
  });

  it('sets the Dangling condition of a FlowSchema while its priority level does not exist', async () => {
    const spec = { priorityLevelConfiguration: { name: 'later' }, matchingPrecedence: 70, rules: [] };
    await fixture.create(SCHEMAS, { metadata: { name: 'mine' }, spec }, { namespace: '' });
    await reconcileNow();
    expect((await read(SCHEMAS, 'mine'))['status']).toMatchObject({
      conditions: [
        { type: 'Dangling', status: 'True', reason: 'NotFound', message: expect.stringContaining('"later" but there is no such object') },
      ],
    });
    await fixture.create(
      LEVELS,
      { metadata: { name: 'later' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
      { namespace: '' },
    );
    await reconcileNow();
    expect((await read(SCHEMAS, 'mine'))['status']).toMatchObject({ conditions: [{ status: 'False', reason: 'Found' }] });
  });

  const updateAndReconcile = async (name: string, members: JsonObject, annotations: JsonObject | undefined): Promise<JsonObject> => {
    const { metadata, spec } = await read(SCHEMAS, name);
    const changedSpec = { ...(object(spec) ? spec : {}), ...members };
    await fixture.update(
      SCHEMAS,
      name,
      { metadata: { ...(object(metadata) ? metadata : {}), annotations: annotations ?? {} }, spec: changedSpec },
      { namespace: '' },
    );
    await reconcileNow();
    return read(SCHEMAS, name);
  };

  it('restores a changed spec unless the autoupdate-spec annotation is false', async () => {
    expect(await updateAndReconcile('kube-scheduler', { matchingPrecedence: 801 }, { [MARK]: 'true' })).toMatchObject({
      spec: { matchingPrecedence: 800 },
    });
    expect(await updateAndReconcile('probes', { matchingPrecedence: 3 }, { [MARK]: 'false' })).toMatchObject({
      spec: { matchingPrecedence: 3 },
    });
  });

  it('sets a missing autoupdate-spec annotation to true for an unchanged spec and to false for a changed one', async () => {
    expect(await updateAndReconcile('kube-scheduler', {}, undefined)).toMatchObject({ metadata: { annotations: { [MARK]: 'true' } } });
    expect(await updateAndReconcile('service-accounts', { matchingPrecedence: 9001 }, undefined)).toMatchObject({
      metadata: { annotations: { [MARK]: 'false' } },
      spec: { matchingPrecedence: 9001 },
    });
  });

  it('does not restore the shares of the exempt priority level', async () => {
    const { metadata } = await read(LEVELS, 'exempt');
    const spec = { type: 'Exempt', exempt: { nominalConcurrencyShares: 3, lendablePercent: 0 } };
    await fixture.update(LEVELS, 'exempt', { metadata: metadata ?? {}, spec }, { namespace: '' });
    await reconcileNow();
    expect(await read(LEVELS, 'exempt')).toMatchObject({ spec });
  });

  it('writes nothing when every object is up to date', async () => {
    const before = fixture.store.currentRevision;
    await reconcileNow();
    expect(fixture.store.currentRevision).toBe(before);
  });
});
