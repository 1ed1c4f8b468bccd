/** Offloaded writes: steps run as in a worker thread, and steps that need the server's thread are called there. */
import { stringifyJson, type JsonObject } from '../../../../../shared/values/json';
import { forbidden } from '../../../../../shared/api/errors/status';
import { ensureMetadata } from '../../../../../shared/api/metadata/object-meta';
import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../../../test/support/store/write-fixture';
import { StateChanged, type Admission, type AdmissionRequest, type Reservation } from '../../../admission';

const configMap = (name: string): JsonObject => ({ metadata: { name }, data: { a: 'b' } });
const openOffloaded = (admission: Partial<Admission> = {}): Promise<WriteFixture> =>
  openWriteFixture({ isOffloaded: true, admission: (usual) => ({ ...usual, ...admission }) });

describe('a mutating plug-in that inspects objects', () => {
  it('receives the object, and its changes are stored', async () => {
    const seen: (JsonObject | undefined)[] = [];
    const fixture = await openOffloaded({
      inspectsObject: () => true,
      mutate({ operation, object, oldObject, resource: { row } }) {
        if (row.resource !== 'configmaps' || object === undefined) return undefined;
        seen.push(operation === 'UPDATE' ? structuredClone(oldObject) : structuredClone(object));
        ensureMetadata(object)['annotations'] = { by: operation };
        return undefined;
      },
    });
    expect((await fixture.create('configmaps', configMap('a'))).object).toMatchObject({ metadata: { annotations: { by: 'CREATE' } } });
    await fixture.cache.catchUp();
    expect((await fixture.patch('configmaps', 'a', 'merge', { data: { c: 'd' } })).object).toMatchObject({
      metadata: { annotations: { by: 'UPDATE' } },
    });
    expect(seen).toMatchObject([{ data: { a: 'b' } }, { data: { a: 'b' }, metadata: { annotations: { by: 'CREATE' } } }]);
    expect(await fixture.stored('configmaps', 'a')).toMatchObject({
      metadata: { annotations: { by: 'UPDATE' } },
      data: { a: 'b', c: 'd' },
    });
  });

  it('receives only the name of an object that validation rejects', async () => {
    const seen: AdmissionRequest[] = [];
    const fixture = await openOffloaded({ inspectsObject: () => true, mutate: (request) => void seen.push(request) });
    seen.length = 0; // The fixture has created its namespace.
    expect(await refusalStatus(fixture.create('configmaps', { metadata: { name: 'A B' }, data: { a: 'b' } }))).toMatchObject({ code: 422 });
    expect(seen.map(({ object }) => object)).toEqual([{ metadata: { name: 'A B', generateName: '' } }]);
  });
});

it('an offloaded write passes only the name to plug-ins that do not inspect objects', async () => {
  const seen: AdmissionRequest[] = [];
  const fixture = await openOffloaded({ inspectsObject: () => false, validate: (request) => void seen.push(request) });
  seen.length = 0; // The fixture has created its namespace.
  await fixture.create('configmaps', configMap('a'));
  expect(seen.map(({ object, name, operation }) => ({ object, name, operation }))).toEqual([
    { object: { metadata: { name: 'a', generateName: '' } }, name: 'a', operation: 'CREATE' },
  ]);
});

it('an offloaded write restarts on the current state when a plug-in throws StateChanged', async () => {
  let isFirst = true;
  const fixture = await openOffloaded({
    validate({ resource: { row } }) {
      if (row.resource !== 'configmaps' || !isFirst) return undefined;
      isFirst = false;
      throw new StateChanged();
    },
  });
  expect((await fixture.create('configmaps', configMap('a'))).created).toBe(true);
  expect(isFirst).toBe(false);
});

describe('a reservation of admission', () => {
  const reserving = (complete: (revision?: number) => void): Partial<Admission> => {
    const reservation: Reservation = { writes: [{ key: '/guard', modRevision: 0, onConflict: () => undefined }], complete };
    return { reserve: ({ resource: { row } }) => (row.resource === 'configmaps' ? Promise.resolve(reservation) : undefined) };
  };

  it('is compared in the transaction of the object, and released with its revision', async () => {
    const complete = jest.fn();
    const fixture = await openOffloaded(reserving(complete));
    const transact = jest.spyOn(fixture.store, 'transact');
    const { entry } = await fixture.create('configmaps', configMap('a'));
    expect(transact.mock.calls.at(-1)?.[0].compare).toContainEqual({ key: '/guard', modRevision: 0 });
    expect(complete.mock.calls).toEqual([[entry.revision]]);
  });

  it('is released when a later step fails', async () => {
    const complete = jest.fn();
    const fixture = await openOffloaded(reserving(complete));
    await fixture.create('configmaps', configMap('a'));
    complete.mockClear();
    const created = fixture.writer.create(
      fixture.context,
      fixture.resource('configmaps'),
      'ns',
      { raw: { bytes: Buffer.from(stringifyJson({ metadata: { name: 'b', resourceVersion: '7' } })), format: 'json' } },
      { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm' },
    );
    expect(await refusalStatus(created)).toMatchObject({ message: 'resourceVersion should not be set on objects to be created' });
    expect(complete.mock.calls).toEqual([[]]);
  });
});

it('an offloaded create rejects an existing name, and generates another one for generateName', async () => {
  const fixture = await openOffloaded();
  await fixture.create('configmaps', configMap('a'));
  await fixture.cache.catchUp();
  expect(await refusalStatus(fixture.create('configmaps', configMap('a')))).toMatchObject({ code: 409, reason: 'AlreadyExists' });
  fixture.random.suffixes.push('taken', 'taken', 'free');
  const generated = { metadata: { generateName: 'g-' } };
  expect((await fixture.create('configmaps', generated)).object).toMatchObject({ metadata: { name: 'g-taken' } });
  await fixture.cache.catchUp();
  expect((await fixture.create('configmaps', generated)).object).toMatchObject({ metadata: { name: 'g-free' } });
});

it('an offloaded apply that creates is rejected when the user may not create', async () => {
  const fixture = await openOffloaded();
  fixture.context = {
    ...fixture.context,
    authorizeCreate: () => Promise.resolve(forbidden({ group: '', resource: 'configmaps' }, 'a', 'no')),
  };
  const { writer, context } = fixture;
  const patch = {
    type: 'apply',
    bytes: Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'),
    dialect: 'platform',
  } as const;
  const options = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm' } as const;
  expect(
    await refusalStatus(writer.patch(context, fixture.resource('configmaps'), { namespace: 'ns', name: 'a' }, undefined, patch, options)),
  ).toMatchObject({ code: 403 });
});

it('an offloaded write allocates and releases addresses in the allocator of the server', async () => {
  const fixture = await openOffloaded();
  const { object } = await fixture.create('services', { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  expect(object).toMatchObject({ spec: { clusterIP: expect.stringMatching(/^10\.0\.0\./) } });
  expect([...fixture.allocator.allRecords().keys()]).toHaveLength(1);
  await fixture.cache.catchUp();
  await fixture.remove('services', 's');
  expect([...fixture.allocator.allRecords().keys()]).toHaveLength(0);
});

it('an offloaded dry run returns the object and stores nothing', async () => {
  const fixture = await openOffloaded();
  const { object, entry } = await fixture.create('configmaps', configMap('a'), { dryRun: true });
  expect(object).toMatchObject({ metadata: { name: 'a', uid: expect.any(String) }, data: { a: 'b' } });
  expect(objectOf(entry)).not.toHaveProperty('metadata.resourceVersion');
  expect(await fixture.stored('configmaps', 'a')).toBeUndefined();
});
