/** DELETE of a collection: which objects it selects, and the response. */
import { isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { decodeProtobuf } from '../../../shared/serialization';
import { call, json, startFixture, type Answer, type Fixture } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());
afterEach(() => remove());

async function create(...names: readonly string[]): Promise<void> {
  for (const name of names) await call(fixture, CONFIGMAPS, { method: 'POST', body: JSON.stringify({ metadata: { name } }) });
}

const touch = (name: string): Promise<Answer> =>
  call(fixture, `${CONFIGMAPS}/${name}`, {
    method: 'PATCH',
    body: JSON.stringify({ data: { touched: 'true' } }),
    headers: { 'content-type': 'application/merge-patch+json' },
  });

const parsed = ({ text }: Answer): JsonObject => JSON.parse(text);
const list = async (): Promise<JsonObject> => parsed(await call(fixture, CONFIGMAPS));
const revision = async (): Promise<string> => stringAt(objectAt(await list(), 'metadata'), 'resourceVersion') ?? '';
async function names(): Promise<unknown[]> {
  const { items } = await list();
  return Array.isArray(items) ? items.filter(isObject).map((item) => objectAt(item, 'metadata')?.['name']) : [];
}

const remove = (query = '', more: { readonly body?: string; readonly headers?: Record<string, string> } = {}): Promise<Answer> =>
  call(fixture, `${CONFIGMAPS}${query}`, { method: 'DELETE', ...more });

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { kind: 'configmaps' }, code: 200 };

it('DELETE of a collection returns a Status, whether or not it deletes objects', async () => {
  for (const existing of [['a', 'b'], []]) {
    await create(...existing);
    const answer = await remove();
    expect([answer.status, json(answer)]).toEqual([200, SUCCESS]);
    expect(await names()).toEqual([]);
  }
});

it('DELETE of a collection returns a Status and deletes nothing on a dry run', async () => {
  await create('a');
  expect(json(await remove('?dryRun=All'))).toEqual(SUCCESS);
  expect(await names()).toEqual(['a']);
});

it('DELETE of a collection returns a Status with the API group of the kind', async () => {
  const answer = await call(fixture, '/apis/coordination.k8s.io/v1/namespaces/default/leases', { method: 'DELETE' });
  expect(json(answer)['details']).toEqual({ group: 'coordination.k8s.io', kind: 'leases' });
});

it('DELETE of a collection returns a Status in protobuf, and to clients that ask for Tables', async () => {
  const protobuf = await remove('', { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
  expect(decodeProtobuf('meta.v1.Status', protobuf.body).object).toMatchObject({ status: 'Success', code: 200 });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  expect(json(await remove('', { headers: { accept } }))).toEqual(SUCCESS);
});

it('DELETE of a collection with a limit returns a Status with a continue token', async () => {
  await create('a', 'b', 'c');
  const next = stringAt(objectAt(parsed(await remove('?limit=2')), 'metadata'), 'continue') ?? '';
  expect(await names()).toEqual(['c']);
  expect(json(await remove(`?limit=2&continue=${encodeURIComponent(next)}`))).toEqual(SUCCESS);
  expect(await names()).toEqual([]);
});

describe('resourceVersion of a collection DELETE', () => {
  it('is not a precondition on the objects', async () => {
    await create('a', 'b');
    const before = await revision();
    await touch('a');
    expect((await remove(`?resourceVersion=${before}`)).status).toBe(200);
    expect(await names()).toEqual([]);
  });

  it('with Exact selects the objects that existed at that revision', async () => {
    await create('a', 'b');
    const before = await revision();
    await create('c');
    await touch('a');
    expect((await remove(`?resourceVersion=${before}&resourceVersionMatch=Exact`)).status).toBe(200);
    expect(await names()).toEqual(['c']);
  });

  it('with NotOlderThan selects the objects of a list at least that new', async () => {
    await create('a');
    const before = await revision();
    await create('b');
    expect((await remove(`?resourceVersion=${before}&resourceVersionMatch=NotOlderThan`)).status).toBe(200);
    expect(await names()).toEqual([]);
  });

  it.each([
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422],
    ['resourceVersion=1&resourceVersionMatch=Newer', 422],
    ['resourceVersion=abc', 400],
  ])('is rejected, and deletes nothing, as %s', async (query, status) => {
    await create('a');
    expect((await remove(`?${query}`)).status).toBe(status);
    expect(await names()).toEqual(['a']);
  });

  it('is a precondition when the body has it in preconditions', async () => {
    await create('a');
    const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { resourceVersion: '1' } });
    expect((await remove('', { body })).status).toBe(409);
    expect(await names()).toEqual(['a']);
  });

  it('is a precondition when a single object is deleted', async () => {
    await create('a');
    expect((await call(fixture, `${CONFIGMAPS}/a?resourceVersion=1`, { method: 'DELETE' })).status).toBe(409);
  });
});
