/**
 * An API server over an etcd that exceeds its quota: what clients, health checks and the log report. The tests run in this
 * order: the first one fills etcd, the last one frees its space.
 */
import { ApiClient, type ApiResponse } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { sendOnce } from '../../support/http/send-once';
import { waitUntil } from '../../support/programs';
import { useApiServer } from '../../support/use-api-server';
import { useClosable, useResource } from '../../support/use-resource';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const FULL_MESSAGE = 'etcdserver: mvcc: database space exceeded';
const configMap = (name: string, bytes: number): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data: { a: 'x'.repeat(bytes) },
});

interface GatewayResponse {
  readonly header?: { readonly revision?: string };
  readonly alarms?: readonly object[];
}

/** Calls the JSON gateway of etcd. */
async function callEtcd(endpoint: string, path: string, body: object): Promise<GatewayResponse> {
  const { hostname, port } = new URL(endpoint);
  const { text } = await sendOnce({ protocol: 'http:', hostname, port, path: `/v3/${path}`, method: 'POST' }, JSON.stringify(body));
  return JSON.parse(text);
}

/** Compacts and defragments etcd and disarms its alarms. */
async function freeSpace(endpoint: string): Promise<void> {
  // A read of any key, here NUL in base64, returns the newest revision.
  const { header } = await callEtcd(endpoint, 'kv/range', { key: 'AA==' });
  await callEtcd(endpoint, 'kv/compaction', { revision: header?.revision, physical: true });
  await callEtcd(endpoint, 'maintenance/defragment', {});
  const { alarms = [] } = await callEtcd(endpoint, 'maintenance/alarm', { action: 'GET' });
  for (const alarm of alarms) await callEtcd(endpoint, 'maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
}

describeWithEtcd('an API server on a full etcd', () => {
  const etcd = useResource(
    () => startEtcd({ arguments: ['--quota-backend-bytes', String(8 * 1024 * 1024)] }),
    (server) => server.dispose(),
  );
  const api = useApiServer('full-etcd', () => ({ etcdServers: etcd().endpoint }));
  const server = () => api.running;

  /** Creates objects until a creation is rejected, and returns the rejection. */
  async function fillEtcd(api: ApiClient): Promise<ApiResponse> {
    for (let index = 0; ; index++) {
      const response = await api.send('POST', CONFIG_MAPS, configMap(`big-${index}`, 500_000));
      if (response.status !== 201) return response;
    }
  }

  const client = useClosable(() => new ApiClient(server().address, server().certificates));

  it('responds to writes with 500, as upstream', async () => {
    const rejection = await fillEtcd(client());
    expect(rejection.status).toBe(500);
    expect(rejection.json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: FULL_MESSAGE,
      code: 500,
    });
    for (let index = 0; index < 20; index++) expect((await client().send('POST', CONFIG_MAPS, configMap('small', 1))).status).toBe(500);
  }, 60_000);

  it('stays ready and reports the alarm of etcd', async () => {
    const ready = await client().get('/readyz?verbose');
    expect(ready).toMatchObject({ status: 200, text: expect.stringContaining('[!]etcd-space failed') });
    expect((await client().get('/readyz/etcd-space')).text).toContain('alarm NOSPACE: its database exceeds --quota-backend-bytes');
  });

  it('logs the remedy once', () => {
    const lines = server()
      .process.output.split('\n')
      .filter((line) => line.includes('the store has no space left'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('disarm the alarm');
  });

  it('serves reads and deletions', async () => {
    expect((await client().get(`${CONFIG_MAPS}/big-0`)).status).toBe(200);
    expect((await client().send('DELETE', `${CONFIG_MAPS}/big-0`)).status).toBe(200);
    expect((await client().send('DELETE', CONFIG_MAPS)).status).toBe(200);
  });

  it('accepts writes again without a restart once etcd has space', async () => {
    await freeSpace(etcd().endpoint);
    expect((await client().send('POST', CONFIG_MAPS, configMap('small', 1))).status).toBe(201);
    await waitUntil('the alarm to be seen as disarmed', async () => (await client().get('/readyz/etcd-space')).text === 'ok');
    // The many rejected writes have no line each.
    expect(server().process.output.split('\n').length).toBeLessThan(30);
  }, 60_000);
});
