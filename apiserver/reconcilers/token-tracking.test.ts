import { objectAt, type JsonObject } from '../../shared/values/json';
import { GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../test/support/store/replica';
import { START } from '../../test/support/store/write-fixture';
import { StoreError } from '../storage/store';
import { parseEntry } from '../registry/object/stored-object';
import { startTokenTrackingReconciler, createLastUsedRecorder } from './token-tracking';

const names = GENERATED_NAMES.platform;
const KEY = 'platform-system/platform-apiserver-legacy-service-account-token-tracking';

let store: MemoryStore;
let replicas: readonly Replica<ManualClock>[];
let cleanups: (() => void)[];

beforeEach(async () => {
  store = new MemoryStore();
  cleanups = [];
  replicas = await Promise.all([0, 1].map(() => openReplica(store, new ManualClock(START))));
  for (const name of ['default', names.systemNamespace]) await first().create('namespaces', { metadata: { name } });
  await flushPromises(5);
});
afterEach(async () => {
  for (const cleanUp of cleanups) cleanUp();
  for (const { cache } of replicas) await cache.close();
});

function first(): Replica<ManualClock> {
  const [replica] = replicas;
  if (replica === undefined) throw new Error('there are two');
  return replica;
}

function start({ writer, cache, resources, clock, failures }: Replica<ManualClock>, naming: Dialect = 'platform'): Promise<void> {
  const onFailure = (message: string): void => void failures.push(message);
  const reconciler = startTokenTrackingReconciler({
    writer,
    cache,
    configMaps: resources.require('configmaps'),
    names: GENERATED_NAMES[naming],
    clock,
    onFailure,
  });
  cleanups.push(() => reconciler.stop());
  return reconciler.complete;
}

const data = (): unknown => {
  const { cache, resources } = first();
  const entry = cache.get(resources.require('configmaps').stored, KEY);
  return entry === undefined ? undefined : objectAt(parseEntry(entry).object, 'data');
};

const patchData = (value: JsonObject): Promise<unknown> => {
  const { writer, resources, context } = first();
  const [namespace = '', name = ''] = KEY.split('/');
  const bytes = Buffer.from(JSON.stringify({ data: value }));
  const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'other' } as const;
  return writer.patch(
    context(),
    resources.require('configmaps'),
    { namespace, name },
    undefined,
    { type: 'merge', bytes, dialect: 'platform' },
    options,
  );
};

async function nextMinute(): Promise<void> {
  await flushPromises(5);
  for (const { clock } of replicas) await clock.advanceAsync(60_000);
  await flushPromises(20);
}

it('token tracking ConfigMap gets its start date once from several replicas, and keeps a valid date', async () => {
  await Promise.all(replicas.map((replica) => start(replica)));
  expect(data()).toEqual({ since: '2026-01-02' });
  await patchData({ since: '2020-02-29', more: 'x' });
  await nextMinute();
  expect(data()).toEqual({ since: '2020-02-29', more: 'x' });
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
});

it.each<[string, JsonObject, object]>([
  ['text that is not a date', { since: 'x', more: 'y' }, { since: '2026-01-02', more: 'y' }],
  ['a date that does not exist', { since: '2026-02-29' }, { since: '2026-01-02' }],
  ['a thirteenth month', { since: '2026-13-01' }, { since: '2026-01-02' }],
  ['a date with a time', { since: '2026-01-01T00:00:00Z' }, { since: '2026-01-02' }],
  ['null', { since: null }, { since: '2026-01-02' }],
])('token tracking ConfigMap gets a new start date in place of %s', async (_case, value, expected) => {
  await start(first());
  await patchData(value);
  await nextMinute();
  expect(data()).toEqual(expected);
});

it('token tracking ConfigMap is recreated after deletion', async () => {
  await start(first());
  store.remove(`/registry/configmaps/${KEY}`);
  await nextMinute();
  expect(data()).toEqual({ since: '2026-01-02' });
});

it('token tracking logs a failure and retries', async () => {
  const { failures, clock } = first();
  store.failure = new StoreError('unavailable', 'x');
  const completed = start(first());
  await flushPromises(20);
  expect(failures).toEqual([`the ConfigMap ${KEY} could not be reconciled`]);
  store.failure = undefined;
  await clock.advanceAsync(1_000);
  await completed;
  expect(data()).toEqual({ since: '2026-01-02' });
});

describe('last-used label of a Secret', () => {
  const recordUse = (replica: Replica<ManualClock>, day: string): Promise<void> =>
    createLastUsedRecorder({ writer: replica.writer, secrets: replica.resources.require('secrets'), names, clock: replica.clock })(
      { namespace: 'default', name: 's' },
      day,
    );
  const secret = (): JsonObject => {
    const { cache, resources } = first();
    const entry = cache.get(resources.require('secrets').stored, 'default/s');
    return entry === undefined ? {} : parseEntry(entry).object;
  };

  it('is written once by several replicas, also to an immutable Secret, and owned by the server', async () => {
    await first().create('secrets', { metadata: { name: 's', labels: { a: 'b' } }, immutable: true, data: { token: 'eA==' } });
    await flushPromises(5);
    const before = store.currentRevision;
    await Promise.all(replicas.map((replica) => recordUse(replica, '2026-01-02')));
    await flushPromises(5);
    expect(store.currentRevision).toBe(before + 1);
    expect(secret()).toMatchObject({
      metadata: {
        labels: { a: 'b', 'platform.io/legacy-token-last-used': '2026-01-02' },
        managedFields: [
          { manager: 'apiserver', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:platform.io/legacy-token-last-used': {} } } } },
          { manager: 'test' },
        ],
      },
    });
  });

  it('is not written to a deleted Secret', async () => {
    const before = store.currentRevision;
    await recordUse(first(), '2026-01-02');
    expect(store.currentRevision).toBe(before);
  });
});
