/** Writes through the scale of a workload. The managers after each step are those of the reference server. */
import { isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { STORED_KINDS, SCALE, type KindRow } from '../../../shared/api/kinds';
import { objectOf, refusalStatus, openWriteFixture, type WriteResult } from '../../../test/support/store/write-fixture';
import { scaleEntry } from '../object/scale';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec },
});

function put(manager: string, spec: JsonObject, metadata: JsonObject = {}): Promise<WriteResult> {
  return fixture().update(
    'deployments',
    'd',
    { metadata: { name: 'd', ...metadata }, spec },
    { subresource: 'scale', fieldManager: manager },
  );
}

function apply(manager: string, body: JsonObject, { force = false } = {}): Promise<WriteResult> {
  const config = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd' }, ...body };
  return fixture().patch('deployments', 'd', 'apply', config, { subresource: 'scale', fieldManager: manager, force });
}

/**
 * The managers that own the replicas, with operation and subresource: `m1 Apply scale`, or `test Update itself` for the main
 * endpoint; followed by `!` if the entry has a time.
 */
async function replicasOwners(): Promise<readonly string[]> {
  const list = objectAt(await stored(), 'metadata')?.['managedFields'];
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    if (!isObject(entry)) return [];
    expect(entry['apiVersion']).toBe('apps/v1');
    const isOwner = objectAt(objectAt(objectAt(entry, 'fieldsV1'), 'f:spec'), 'f:replicas') !== undefined;
    if (!isOwner) return [];
    const subresource = stringAt(entry, 'subresource') ?? 'itself';
    const time = entry['time'] === undefined ? '' : ' !';
    return [`${stringAt(entry, 'manager')} ${stringAt(entry, 'operation')} ${subresource}${time}`];
  });
}

async function stored(): Promise<JsonObject> {
  await fixture().cache.catchUp();
  const object = await fixture().stored('deployments', 'd');
  if (object === undefined) throw new Error('no deployment');
  return object;
}

function rowOf(resource: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.resource === resource);
  if (row === undefined) throw new Error(`no ${resource}`);
  return row;
}

async function replicasAndGeneration(): Promise<{ readonly replicas: unknown; readonly generation: unknown }> {
  const object = await stored();
  return { replicas: objectAt(object, 'spec')?.['replicas'], generation: objectAt(object, 'metadata')?.['generation'] };
}

test('a scale has the replicas and selector of its workload', async () => {
  const selector = {
    matchLabels: { a: 'b' },
    matchExpressions: [
      { key: 'z', operator: 'DoesNotExist' },
      { key: 'a', operator: 'In', values: ['c', 'b'] },
    ],
  };
  const { entry } = await fixture().create('deployments', deployment({ replicas: 2, selector }));
  expect(objectOf(scaleEntry(SCALE, entry, rowOf('deployments')))).toEqual({
    metadata: {
      name: 'd',
      namespace: 'ns',
      uid: expect.any(String),
      resourceVersion: String(entry.revision),
      creationTimestamp: '2026-01-02T03:04:05Z',
    },
    spec: { replicas: 2 },
    status: { replicas: 0, selector: 'a=b,a in (b,c),!z' },
  });
  const controller = {
    metadata: { name: 'r' },
    spec: { replicas: 0, selector: { a: 'b', c: 'd' }, template: { ...template, metadata: { labels: { a: 'b', c: 'd' } } } },
  };
  const { entry: plain } = await fixture().create('replicationcontrollers', controller);
  expect(objectOf(scaleEntry(SCALE, plain, rowOf('replicationcontrollers')))).toMatchObject({
    spec: {},
    status: { replicas: 0, selector: 'a=b,c=d' },
  });
});

test('the manager of a scale update owns the replicas in an entry without a time', async () => {
  await fixture().create('deployments', deployment({ replicas: 2 }));
  expect(await replicasOwners()).toEqual(['test Update itself !']);
  await put('u1', { replicas: 6 });
  expect(await replicasOwners()).toEqual(['u1 Update scale']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 6, generation: 2 });
  const { revision } = (await put('u1', { replicas: 7 })).entry;
  expect((await put('u2', { replicas: 7 })).entry.revision).toBe(revision);
  expect(await replicasOwners()).toEqual(['u1 Update scale']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 7, generation: 3 });
  await put('u2', {});
  expect(await replicasOwners()).toEqual([]);
  expect(await replicasAndGeneration()).toEqual({ replicas: 0, generation: 4 });
  await put('u2', { replicas: 9 });
  expect(await replicasOwners()).toEqual([]);
  expect(await replicasAndGeneration()).toEqual({ replicas: 9, generation: 5 });
  expect(await refusalStatus(apply('m1', { spec: { replicas: 3 } }))).toMatchObject({
    code: 409,
    message:
      'Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using autoscaling/v1: .spec.replicas',
  });
  await apply('m1', { spec: { replicas: 3 } }, { force: true });
  expect(await replicasOwners()).toEqual(['m1 Apply scale']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 3, generation: 6 });
});

test('appliers of a scale share the replicas, which are reset when the last one omits them', async () => {
  await fixture().create('deployments', deployment({ replicas: 2 }));
  await apply('m1', { spec: { replicas: 2 } });
  expect(await replicasOwners()).toEqual(['m1 Apply scale', 'test Update itself']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 2, generation: 1 });
  await apply('m1', { spec: { replicas: 4 } });
  await apply('m2', { spec: { replicas: 4 } });
  expect(await replicasOwners()).toEqual(['m1 Apply scale', 'm2 Apply scale']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 4, generation: 2 });
  expect(await refusalStatus(apply('m2', { spec: { replicas: 5 } }))).toMatchObject({
    code: 409,
    message: 'Apply failed with 1 conflict: conflict with "m1" with subresource "scale": .spec.replicas',
  });
  await apply('m1', {});
  expect(await replicasOwners()).toEqual(['m2 Apply scale']);
  expect(await replicasAndGeneration()).toEqual({ replicas: 4, generation: 2 });
  await apply('m2', {});
  expect(await replicasOwners()).toEqual([]);
  expect(await replicasAndGeneration()).toEqual({ replicas: 0, generation: 3 });
});

test('a scale update of an untracked object adds no managedFields before the first apply', async () => {
  await fixture().create('deployments', deployment({ replicas: 2 }));
  await fixture().patch('deployments', 'd', 'json', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]);
  await put('u1', { replicas: 6 });
  expect(await replicasOwners()).toEqual([]);
  await apply('m1', { spec: { replicas: 6 } });
  expect(await replicasOwners()).toEqual(['m1 Apply scale', 'before-first-apply Update scale']);
});

describe('a scale write', () => {
  beforeEach(async () => {
    await fixture().create('deployments', deployment({ replicas: 2 }));
    await fixture().cache.catchUp();
  });

  const merge = (body: JsonObject): Promise<WriteResult> => fixture().patch('deployments', 'd', 'merge', body, { subresource: 'scale' });
  const modified = {
    code: 409,
    message:
      'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
  };
  const negative = {
    code: 422,
    message: 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
  };
  const wrongUid = /^Operation cannot be fulfilled on deployments\/scale\.apps "d": Precondition failed: UID in precondition: w, UID/;

  test.each([
    ['is rejected with 409 for a stale resourceVersion', () => put('u', { replicas: 1 }, { resourceVersion: '1' }), modified],
    ['is rejected with 409 for a stale resourceVersion in a patch', () => merge({ metadata: { resourceVersion: '1' } }), modified],
    ['is rejected with 422 for negative replicas', () => put('u', { replicas: -3 }), negative],
    ['is rejected with 422 for negative replicas in a patch', () => merge({ spec: { replicas: -3 } }), negative],
    [
      'is rejected with 409 for another uid',
      () => put('u', { replicas: 1 }, { uid: 'w' }),
      { code: 409, message: expect.stringContaining('StorageError: invalid object, Code: 4, Key: /registry/deployments/ns/d') },
    ],
    [
      'is rejected with 409 for another uid in a patch',
      () => merge({ metadata: { uid: 'w' } }),
      { code: 409, message: expect.stringMatching(wrongUid) },
    ],
    [
      'is rejected with 400 for another name',
      () => put('u', {}, { name: 'e' }),
      { code: 400, message: 'the name of the object (e) does not match the name on the URL (d)' },
    ],
    [
      'is rejected with 404 for an absent workload',
      () => fixture().update('deployments', 'e', { metadata: { name: 'e' } }, { subresource: 'scale' }),
      { code: 404, message: 'deployments.apps "e" not found' },
    ],
  ])('%s', async (_, write, expected) => {
    expect(await refusalStatus(write())).toMatchObject(expected);
  });

  test('stores nothing in a dry run', async () => {
    const { entry } = await fixture().update(
      'deployments',
      'd',
      { metadata: { name: 'd' }, spec: { replicas: 16 } },
      { subresource: 'scale', dryRun: true },
    );
    expect(objectAt(objectOf(entry), 'spec')?.['replicas']).toBe(16);
    expect(await replicasAndGeneration()).toEqual({ replicas: 2, generation: 1 });
  });
});
