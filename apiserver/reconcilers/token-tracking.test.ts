import { objectAt, type JsonObject } from '../../shared/values/json';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../test/support/store/replica';
import { START } from '../../test/support/store/write-fixture';
import { stopAfterTest, useForEachTest } from '../../test/support/use-resource';
import { StoreError } from '../storage/store';
import { parseEntry } from '../registry/object/stored-object';
import type { Reconciler } from './reconciler';
import { mergePatch } from './server-writes';
import { startTokenTrackingReconciler, createLastUsedRecorder } from './token-tracking';

const names = GENERATED_NAMES.platform;
/** Namespace and name of the ConfigMap. */
const KEY = 'platform-system/platform-apiserver-legacy-service-account-token-tracking';
/** The day of {@link START}. */
const TODAY = '2026-01-02';

interface Fixture {
  readonly store: MemoryStore;
  readonly first: Replica<ManualClock>;
  readonly replicas: readonly Replica<ManualClock>[];
}

const stopAfterwards = stopAfterTest<Reconciler>((reconciler) => reconciler.stop());
/** Two replicas over one store. Their clocks show {@link TODAY}. */
const fixture = useForEachTest<Fixture>(
  async () => {
    const store = new MemoryStore();
    const first = await openReplica(store, new ManualClock(START));
    const second = await openReplica(store, new ManualClock(START));
    for (const name of ['default', names.systemNamespace]) await first.create('namespaces', { metadata: { name } });
    await flushPromises(5);
    return { store, first, replicas: [first, second] };
  },
  async ({ replicas }) => {
    for (const { cache } of replicas) await cache.close();
  },
);

/** Starts the reconciler; resolves after its first successful pass. */
function start({ writer, cache, resources, clock, failures }: Replica<ManualClock>): Promise<void> {
  const reconciler = startTokenTrackingReconciler({
    writer,
    cache,
    configMaps: resources.require('configmaps'),
    names,
    clock,
    onFailure: (message) => void failures.push(message),
  });
  return stopAfterwards(reconciler).complete;
}

/** The data of the ConfigMap; `undefined` when it does not exist. */
const configMapData = (): unknown => {
  const { cache, resources } = fixture().first;
  const entry = cache.get(resources.require('configmaps').stored, KEY);
  return entry === undefined ? undefined : objectAt(parseEntry(entry).object, 'data');
};

const patchConfigMap = (data: JsonObject): Promise<unknown> => {
  const { writer, resources, context } = fixture().first;
  const [namespace = '', name = ''] = KEY.split('/');
  const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'other' } as const;
  return writer.patch(context(), resources.require('configmaps'), { namespace, name }, undefined, mergePatch({ data }), options);
};

/** Advances to the next pass of all replicas. */
async function nextMinute(): Promise<void> {
  await flushPromises(5);
  for (const { clock } of fixture().replicas) await clock.advanceAsync(60_000);
  await flushPromises(20);
}

it('token tracking ConfigMap gets its start date once from several replicas', async () => {
  const { store, replicas } = fixture();
  const before = store.currentRevision;
  await Promise.all(replicas.map((replica) => start(replica)));
  expect(configMapData()).toEqual({ since: TODAY });
  expect(store.currentRevision).toBe(before + 1);
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
});

it('token tracking ConfigMap keeps a valid date and other members', async () => {
  await start(fixture().first);
  await patchConfigMap({ since: '2020-02-29', more: 'x' });
  await nextMinute();
  expect(configMapData()).toEqual({ since: '2020-02-29', more: 'x' });
});

it.each<[string, JsonObject, object]>([
  ['text that is not a date', { since: 'x', more: 'y' }, { since: TODAY, more: 'y' }],
  ['a date that does not exist', { since: '2026-02-29' }, { since: TODAY }],
  ['a thirteenth month', { since: '2026-13-01' }, { since: TODAY }],
  ['a date with a time', { since: '2026-01-01T00:00:00Z' }, { since: TODAY }],
  ['null', { since: null }, { since: TODAY }],
])('token tracking ConfigMap gets a new start date in place of %s', async (_case, data, expected) => {
  await start(fixture().first);
  await patchConfigMap(data);
  await nextMinute();
  expect(configMapData()).toEqual(expected);
});

it('token tracking ConfigMap is recreated after deletion', async () => {
  const { store, first } = fixture();
  await start(first);
  store.remove(`/registry/configmaps/${KEY}`);
  await nextMinute();
  expect(configMapData()).toEqual({ since: TODAY });
});

it('token tracking reports a failed write and retries after a second', async () => {
  const { store, first } = fixture();
  store.failure = new StoreError('unavailable', 'x');
  const completed = start(first);
  await flushPromises(20);
  expect(first.failures).toEqual([`the ConfigMap ${KEY} could not be reconciled`]);
  store.failure = undefined;
  await first.clock.advanceAsync(1_000);
  await completed;
  expect(configMapData()).toEqual({ since: TODAY });
});

describe('last-used label of a Secret', () => {
  /** Records today as the day of the last use of the Secret `s`. */
  const recordUse = ({ writer, resources, clock }: Replica<ManualClock>): Promise<void> => {
    const record = createLastUsedRecorder({ writer, secrets: resources.require('secrets'), names, clock });
    return record({ namespace: 'default', name: 's' }, TODAY);
  };
  /** The Secret `s`; empty when it does not exist. */
  const secret = (): JsonObject => {
    const { cache, resources } = fixture().first;
    const entry = cache.get(resources.require('secrets').stored, 'default/s');
    return entry === undefined ? {} : parseEntry(entry).object;
  };

  it('is written once by several replicas, also to an immutable Secret, and owned by the server', async () => {
    const { store, first, replicas } = fixture();
    await first.create('secrets', { metadata: { name: 's', labels: { a: 'b' } }, immutable: true, data: { token: 'eA==' } });
    await flushPromises(5);
    const before = store.currentRevision;
    await Promise.all(replicas.map(recordUse));
    await flushPromises(5);
    expect(store.currentRevision).toBe(before + 1);
    expect(secret()).toMatchObject({
      metadata: {
        labels: { a: 'b', 'platform.io/legacy-token-last-used': TODAY },
        managedFields: [
          { manager: 'apiserver', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:platform.io/legacy-token-last-used': {} } } } },
          { manager: 'test' },
        ],
      },
    });
  });

  it('is not written to a deleted Secret', async () => {
    const { store, first } = fixture();
    const before = store.currentRevision;
    await recordUse(first);
    expect(store.currentRevision).toBe(before);
  });
});
