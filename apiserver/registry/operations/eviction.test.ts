/**
 * Evictions with disruption budgets in every state. Responses and stored objects are those of the reference server. Budgets
 * are named `a` and `b`; they cover every pod.
 */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { objectOf, refusalStatus, openWriteFixture } from '../../../test/support/store/write-fixture';
import type { Entry } from '../../cache/cache';
import type { ListPage } from '../verbs';
import { evictPod } from './eviction';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

const SPEC = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

async function createPod(name: string, status: JsonObject): Promise<void> {
  await fixture().create('pods', { metadata: { name, labels: { app: 'x' } }, spec: SPEC });
  await fixture().patch('pods', name, 'merge', { status }, { subresource: 'status' });
}

/** `status`: what differs from a budget that has three healthy pods and requires one. */
async function createBudget(name: 'a' | 'b', status: JsonObject, spec: JsonObject = {}): Promise<void> {
  await fixture().create('poddisruptionbudgets', { metadata: { name }, spec: { selector: { matchLabels: { app: 'x' } }, ...spec } });
  const wholeStatus = { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, ...status };
  await fixture().patch('poddisruptionbudgets', name, 'merge', { status: wholeStatus }, { subresource: 'status' });
}

async function evict(name: string, deleteOptions: JsonObject = {}, { dryRun = false } = {}): Promise<void> {
  await fixture().cache.catchUp();
  const { cache, writer, clock, context } = fixture();
  const pods = fixture().resource('pods');
  const budgets = fixture().resource('poddisruptionbudgets');
  const get = async (): Promise<Entry> => {
    const entry = cache.get(pods.stored, `ns/${name}`);
    if (entry === undefined) throw new Error('no pod');
    return Promise.resolve(entry);
  };
  const list = (): Promise<ListPage> => {
    const entries = ['a', 'b'].flatMap((budget) => cache.get(budgets.stored, `ns/${budget}`) ?? []);
    return Promise.resolve({ revision: cache.revision, entries });
  };
  const operation = evictPod({ reader: { get, list }, writer, names: GENERATED_NAMES.platform, clock, pods, budgets });
  const options = { dryRun, fieldValidation: 'Ignore', fieldManager: 'test' } as const;
  const object = { metadata: { name }, deleteOptions };
  await operation({ context, resource: pods, key: { namespace: 'ns', name }, object, options });
  await fixture().cache.catchUp();
}

const statusOf = async (resource: string, name: string): Promise<JsonObject | undefined> => {
  const object = await fixture().stored(resource, name);
  return object === undefined ? undefined : objectAt(object, 'status');
};

test('an eviction without a budget sets DisruptionTarget and deletes the pod with the delete options', async () => {
  await createPod('p', READY);
  await evict('p', {}, { dryRun: true });
  expect((await statusOf('pods', 'p'))?.['conditions']).toHaveLength(1);
  await evict('p', { gracePeriodSeconds: 5 });
  expect(await fixture().stored('pods', 'p')).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 5 },
    status: {
      conditions: [
        { type: 'Ready' },
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
      ],
    },
  });
});

test('an eviction charges a budget once per pod, and sets its condition when it is exhausted', async () => {
  await createPod('p', READY);
  await createBudget('a', { disruptionsAllowed: 1 });
  await evict('p', {}, { dryRun: true });
  expect(await statusOf('poddisruptionbudgets', 'a')).toMatchObject({ disruptionsAllowed: 1 });
  await evict('p');
  const charged = {
    disruptionsAllowed: 0,
    disruptedPods: { p: '2026-01-02T03:04:05Z' },
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1, message: '' }],
  };
  expect(await statusOf('poddisruptionbudgets', 'a')).toMatchObject(charged);
  await evict('p');
  expect(await statusOf('poddisruptionbudgets', 'a')).toMatchObject(charged);
});

/** The 429 of an eviction that the budget `a` forbids. */
const violates = (text: string, retryAfterSeconds?: number): object => ({
  code: 429,
  reason: 'TooManyRequests',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: {
    causes: [{ reason: 'DisruptionBudget', message: `The disruption budget a ${text}` }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  },
});

test.each([
  ['exhausted', READY, { disruptionsAllowed: 0 }, violates('needs 1 healthy pods and has 3 currently')],
  ['not observed yet', READY, { observedGeneration: 0, disruptionsAllowed: 2 }, violates('is still being processed by the server.', 10)],
  [
    'exhausted, the pod is unready, and too few pods are healthy',
    UNREADY,
    { disruptionsAllowed: 0, currentHealthy: 0 },
    violates('needs 1 healthy pods and has 0 currently'),
  ],
])('an eviction is rejected with 429 when the budget is %s', async (_, podStatus, budgetStatus, expected) => {
  await createPod('p', podStatus);
  await createBudget('a', budgetStatus);
  expect(await refusalStatus(evict('p'))).toEqual(expect.objectContaining(expected));
  expect(await refusalStatus(evict('p', {}, { dryRun: true }))).toEqual(expect.objectContaining(expected));
  expect((await fixture().stored('pods', 'p'))?.['metadata']).not.toHaveProperty('deletionTimestamp');
});

test.each([
  ['an unready pod with enough healthy ones', UNREADY, { disruptionsAllowed: 0, currentHealthy: 1 }, {}],
  [
    'an unready pod under AlwaysAllow',
    UNREADY,
    { disruptionsAllowed: 0, currentHealthy: 0 },
    { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  ],
  ['a pending pod', { phase: 'Pending' }, { disruptionsAllowed: 0 }, {}],
  ['a finished pod', { phase: 'Succeeded' }, { disruptionsAllowed: 0 }, {}],
])('the eviction of %s does not charge the budget', async (_, podStatus, budgetStatus, budgetSpec) => {
  await createPod('p', podStatus);
  await createBudget('a', budgetStatus, budgetSpec);
  await evict('p');
  const evicted = await fixture().stored('pods', 'p');
  expect(evicted === undefined || objectAt(evicted, 'metadata')?.['deletionTimestamp'] !== undefined).toBe(true);
  expect(await statusOf('poddisruptionbudgets', 'a')).not.toHaveProperty('disruptedPods');
});

test('an eviction is rejected with 409 for another uid, and with 422 for invalid delete options', async () => {
  await createPod('p', READY);
  expect(await refusalStatus(evict('p', { preconditions: { uid: 'w' } }))).toMatchObject({
    code: 409,
    message: expect.stringContaining('on Pod "p": the UID in the precondition (w) does not match the UID in record'),
  });
  expect(await refusalStatus(evict('p', { dryRun: ['x'] }))).toMatchObject({ code: 422 });
});

test('an eviction is rejected with 500 when two budgets cover the pod', async () => {
  await createPod('p', READY);
  await createBudget('a', { disruptionsAllowed: 1 });
  await createBudget('b', { disruptionsAllowed: 1 });
  expect(await refusalStatus(evict('p'))).toMatchObject({
    code: 500,
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  });
});

test('an eviction with a resourceVersion precondition compares it with the pod before its own update', async () => {
  await createPod('p', READY);
  await fixture().cache.catchUp();
  const entry = fixture().cache.get(fixture().resource('pods').stored, 'ns/p');
  if (entry === undefined) throw new Error('no pod');
  expect(objectAt(objectOf(entry), 'metadata')?.['resourceVersion']).toBe(String(entry.revision));
  expect(await refusalStatus(evict('p', { preconditions: { resourceVersion: '1' } }))).toMatchObject({ code: 409 });
  await evict('p', { preconditions: { resourceVersion: String(entry.revision) } });
  expect(objectAt((await fixture().stored('pods', 'p')) ?? {}, 'metadata')).toHaveProperty('deletionTimestamp');
});
