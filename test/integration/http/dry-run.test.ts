/** The parameter `dryRun` in the query of each verb and in the body of a DELETE. */
import { MERGE_PATCH, type CallOptions } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGMAP = `${CONFIGMAPS}/one`;

const api = useServer();
beforeAll(() => api.createConfigMap('one'));

const statusOf = async (name: string): Promise<number> => (await api.get(`${CONFIGMAPS}/${name}`)).status;

describe('an unsupported value', () => {
  const configMap = (name: string): object => ({ metadata: { name } });

  interface Write {
    /** The kind of the write's options, which the message names. */
    readonly optionsKind: string;
    readonly path: string;
    readonly call: CallOptions;
  }
  const WRITES: readonly Write[] = [
    { optionsKind: 'CreateOptions', path: CONFIGMAPS, call: { method: 'POST', body: configMap('two') } },
    { optionsKind: 'UpdateOptions', path: CONFIGMAP, call: { method: 'PUT', body: configMap('one') } },
    { optionsKind: 'PatchOptions', path: CONFIGMAP, call: { method: 'PATCH', body: '{"data":null}', type: MERGE_PATCH } },
    { optionsKind: 'DeleteOptions', path: CONFIGMAP, call: { method: 'DELETE' } },
    { optionsKind: 'DeleteOptions', path: CONFIGMAPS, call: { method: 'DELETE' } },
  ];

  const readItems = async (): Promise<unknown> => (await api.read(CONFIGMAPS))['items'];

  describe.each([
    ['?dryRun=all', '[]string{"all"}'],
    ['?dryRun=All&dryRun=x', '[]string{"All", "x"}'],
  ])('in %s', (query, printedValue) => {
    it.each(WRITES)('is rejected for $call.method $path, and nothing is written', async ({ optionsKind, path, call }) => {
      const before = await readItems();
      const reason = `dryRun: Unsupported value: ${printedValue}: supported values: "All"`;
      const message = `${optionsKind}.meta.platform.io "" is invalid: ${reason}`;
      expect((await api.call(`${path}${query}`, call)).refusal).toEqual([422, message]);
      expect(await readItems()).toEqual(before);
    });
  });
});

describe('an empty value', () => {
  it('is ignored, so that a POST stores the object', async () => {
    expect((await api.post(`${CONFIGMAPS}?dryRun=`, { metadata: { name: 'stored' } })).status).toBe(201);
    expect(await statusOf('stored')).toBe(200);
  });

  it('is ignored, so that a DELETE deletes the object', async () => {
    await api.createConfigMap('deleted');
    await api.delete(`${CONFIGMAPS}/deleted?dryRun`);
    expect(await statusOf('deleted')).toBe(404);
  });

  it('in addition to All leaves the request a dry run', async () => {
    expect((await api.post(`${CONFIGMAPS}?dryRun=All&dryRun=`, { metadata: { name: 'dry' } })).status).toBe(201);
    expect(await statusOf('dry')).toBe(404);
  });
});

describe('a DELETE', () => {
  it.each<[string, string, object]>([
    ['its query', '?dryRun=All', { kind: 'DeleteOptions' }],
    ['its body', '', { dryRun: ['All'] }],
  ])('with dryRun in %s keeps the object', async (_where, query, body) => {
    await api.delete(`${CONFIGMAP}${query}`, { body });
    expect(await statusOf('one')).toBe(200);
  });

  it('with an unsupported value in its query is rejected, although its body has options too', async () => {
    expect((await api.delete(`${CONFIGMAP}?dryRun=x`, { body: {} })).status).toBe(422);
  });

  it('with a body of another kind is rejected', async () => {
    const message = 'no kind "Foo" is registered for version "meta.platform.io/v1"';
    expect((await api.delete(CONFIGMAP, { body: { kind: 'Foo' } })).refusal).toEqual([400, expect.stringContaining(message)]);
  });
});
