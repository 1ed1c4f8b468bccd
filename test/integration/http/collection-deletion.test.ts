/** DELETE of a collection: which objects it selects, and the response. */
import { decodeProtobuf } from '../../../shared/serialization';
import type { ApiResponse, CallOptions } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { kind: 'configmaps' }, code: 200 };

const api = useServer();
afterEach(() => deleteCollection());

const deleteCollection = (query = '', more: CallOptions = {}): Promise<ApiResponse> => api.delete(`${CONFIGMAPS}${query}`, more);
const touch = (name: string): Promise<ApiResponse> => api.mergePatch(`${CONFIGMAPS}/${name}`, { data: { touched: 'true' } });
const revision = async (): Promise<string> => Object(await api.read(CONFIGMAPS)).metadata.resourceVersion;
const names = async (): Promise<string[]> =>
  Object(await api.read(CONFIGMAPS)).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

async function create(...objectNames: readonly string[]): Promise<void> {
  for (const name of objectNames) await api.create(CONFIGMAPS, { metadata: { name } });
}

describe('DELETE of a collection returns a Status', () => {
  it('whether or not it deletes objects', async () => {
    for (const created of [['a', 'b'], []]) {
      await create(...created);
      expect((await deleteCollection()).json).toEqual(SUCCESS);
      expect(await names()).toEqual([]);
    }
  });

  it('and deletes nothing on a dry run', async () => {
    await create('a');
    expect((await deleteCollection('?dryRun=All')).json).toEqual(SUCCESS);
    expect(await names()).toEqual(['a']);
  });

  it('with the API group of the kind', async () => {
    const response = await api.delete('/apis/coordination.k8s.io/v1/namespaces/default/leases');
    expect(response.json['details']).toEqual({ group: 'coordination.k8s.io', kind: 'leases' });
  });

  it('in protobuf', async () => {
    const protobuf = await deleteCollection('', { accept: 'application/vnd.kubernetes.protobuf' });
    expect(decodeProtobuf('meta.v1.Status', protobuf.body).object).toMatchObject({ status: 'Success', code: 200 });
  });

  it('to clients that ask for Tables', async () => {
    expect((await deleteCollection('', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' })).json).toEqual(SUCCESS);
  });

  it('with a continue token when it has a limit', async () => {
    await create('a', 'b', 'c');
    const next: string = Object((await deleteCollection('?limit=2')).json['metadata']).continue;
    expect(await names()).toEqual(['c']);
    expect((await deleteCollection(`?limit=2&continue=${encodeURIComponent(next)}`)).json).toEqual(SUCCESS);
    expect(await names()).toEqual([]);
  });
});

describe('resourceVersion of a collection DELETE', () => {
  it.each([
    ['alone is not a precondition on the objects', '', []],
    ['with Exact selects the objects that existed at that revision', '&resourceVersionMatch=Exact', ['c']],
    ['with NotOlderThan selects the objects of a list at least that new', '&resourceVersionMatch=NotOlderThan', []],
  ])('%s', async (_title, match, remaining) => {
    await create('a', 'b');
    const before = await revision();
    await create('c');
    await touch('a');
    expect((await deleteCollection(`?resourceVersion=${before}${match}`)).status).toBe(200);
    expect(await names()).toEqual(remaining);
  });

  it.each([
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422],
    ['resourceVersion=1&resourceVersionMatch=Newer', 422],
    ['resourceVersion=abc', 400],
  ])('is rejected as %s, and nothing is deleted', async (query, status) => {
    await create('a');
    expect((await deleteCollection(`?${query}`)).status).toBe(status);
    expect(await names()).toEqual(['a']);
  });

  it('is a precondition in the preconditions of the body', async () => {
    await create('a');
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { resourceVersion: '1' } };
    expect((await deleteCollection('', { body })).status).toBe(409);
    expect(await names()).toEqual(['a']);
  });

  it('is a precondition of the DELETE of a single object', async () => {
    await create('a');
    expect((await api.delete(`${CONFIGMAPS}/a?resourceVersion=1`)).status).toBe(409);
  });
});
