/** Requests of the public JavaScript client to the built API server: writes, reads, pages, errors and times. */
import {
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { useResource } from '../../support/use-resource';
import { useSharedApiServer } from '../../support/use-api-server';

const namespace = 'default';

const server = useSharedApiServer();
const config = useResource(() => {
  const loaded = new KubeConfig();
  loaded.loadFromFile(server.kubeconfig);
  return loaded;
});
const core = useResource(() => config().makeApiClient(CoreV1Api));

describe('the JavaScript client', () => {
  // The tests create, change and delete one ConfigMap.
  const address = { name: 'client-node', namespace };
  const read = (): Promise<V1ConfigMap> => core().readNamespacedConfigMap(address);
  const patch = (body: object, strategy: string): Promise<V1ConfigMap> =>
    core().patchNamespacedConfigMap({ ...address, body }, setHeaderOptions('Content-Type', strategy));

  it('creates and reads an object', async () => {
    const body = { metadata: { name: address.name, labels: { set: 'client-node' } }, data: { k: '1' } };
    const created = await core().createNamespacedConfigMap({ namespace, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect((await read()).data).toEqual({ k: '1' });
  });

  it('replaces an object, unless it has changed since it was read', async () => {
    const before = await read();
    const replaced = await core().replaceNamespacedConfigMap({ ...address, body: { ...before, data: { k: '2' } } });
    expect(Number(replaced.metadata?.resourceVersion)).toBeGreaterThan(Number(before.metadata?.resourceVersion));
    await expect(core().replaceNamespacedConfigMap({ ...address, body: before })).rejects.toMatchObject({ code: 409 });
  });

  it('changes an object by a merge patch', async () => {
    expect((await patch({ data: { l: '3' } }, PatchStrategy.MergePatch)).data).toEqual({ k: '2', l: '3' });
  });

  it('changes an object by a JSON patch', async () => {
    expect((await patch([{ op: 'remove', path: '/data/k' }], PatchStrategy.JsonPatch)).data).toEqual({ l: '3' });
  });

  it('lists objects by their labels', async () => {
    const { items } = await core().listNamespacedConfigMap({ namespace, labelSelector: 'set=client-node' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([address.name]);
  });

  it('receives a Status for an object that it has deleted', async () => {
    await core().deleteNamespacedConfigMap(address);
    const message = `configmaps "${address.name}" not found`;
    const body = expect.stringContaining(`"status":"Failure","message":${JSON.stringify(message)},"reason":"NotFound"`);
    await expect(read()).rejects.toMatchObject({ code: 404, body });
  });

  it('reads a list page by page', async () => {
    const labels = { set: 'client-node-pages' };
    for (const name of ['page-0', 'page-1', 'page-2', 'page-3', 'page-4'])
      await core().createNamespacedConfigMap({ namespace, body: { metadata: { name, labels } } });
    const pages: (readonly (string | undefined)[])[] = [];
    const query = { namespace, labelSelector: 'set=client-node-pages', limit: 2 };
    let continueToken = '';
    do {
      const { items, metadata } = await core().listNamespacedConfigMap({
        ...query,
        ...(continueToken === '' ? {} : { _continue: continueToken }),
      });
      pages.push(items.map((item) => item.metadata?.name));
      continueToken = metadata?._continue ?? '';
    } while (continueToken !== '');
    expect(pages).toEqual([['page-0', 'page-1'], ['page-2', 'page-3'], ['page-4']]);
  });

  it('receives the microseconds of a Lease', async () => {
    const leases = config().makeApiClient(CoordinationV1Api);
    const renewTime = new V1MicroTime('2026-01-02T03:04:05.678Z');
    const body = { metadata: { name: 'client-node' }, spec: { holderIdentity: 'me', renewTime } };
    await leases.createNamespacedLease({ namespace, body });
    const lease = await leases.readNamespacedLease({ name: 'client-node', namespace });
    // The client returns these times as texts, as it received them.
    expect(lease.spec?.renewTime).toBe('2026-01-02T03:04:05.678000Z');
  });
});
