/** An API server over an etcd that exceeds its quota: what clients, health checks and the log report. */
import { request } from 'node:http';
import { ApiClient, type ApiResponse } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

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
function callEtcd(endpoint: string, path: string, body: object): Promise<GatewayResponse> {
  return new Promise((resolve, reject) => {
    const call = request(`${endpoint}/v3/${path}`, { method: 'POST' }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(JSON.parse(text)));
    });
    call.once('error', reject);
    call.end(JSON.stringify(body));
  });
}

async function freeSpace(endpoint: string): Promise<void> {
  const { header } = await callEtcd(endpoint, 'kv/range', { key: 'AA==' });
  await callEtcd(endpoint, 'kv/compaction', { revision: header?.revision, physical: true });
  await callEtcd(endpoint, 'maintenance/defragment', {});
  const { alarms = [] } = await callEtcd(endpoint, 'maintenance/alarm', { action: 'GET' });
  for (const alarm of alarms) await callEtcd(endpoint, 'maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
}

describeWithEtcd('an API server on a full etcd', () => {
  const etcd = useResource(
    () => startEtcd({ arguments: ['--quota-backend-bytes', String(8 << 20)] }),
    (server) => server.dispose(),
  );
  const folder = useFolder('full-etcd');
  const server = useResource(
    async () => startApiServer({ folder, securePort: await freePort(), etcdServers: etcd().endpoint }),
    (started) => started.process.stop(),
    60_000,
  );

  async function fill(api: ApiClient): Promise<ApiResponse> {
    for (let index = 0; ; index++) {
      const response = await api.send('POST', CONFIG_MAPS, configMap(`big-${index}`, 500_000));
      if (response.status !== 201) return response;
    }
  }

  it('responds to writes with 500 as upstream, reports it, allows deletions, and recovers without a restart', async () => {
    const api = new ApiClient(server().address, server().certificates);
    const refused = await fill(api);
    expect([refused.status, refused.json()]).toEqual([
      500,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: FULL_MESSAGE, code: 500 },
    ]);
    for (let index = 0; index < 20; index++) expect((await api.send('POST', CONFIG_MAPS, configMap('small', 1))).status).toBe(500);
    const ready = await api.get('/readyz?verbose');
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining('[!]etcd-space failed')]);
    expect((await api.get('/readyz/etcd-space')).text).toContain('alarm NOSPACE: its database exceeds --quota-backend-bytes');
    const lines = server()
      .process.output.split('\n')
      .filter((line) => line.includes('the store has no space left'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('disarm the alarm');

    expect((await api.get(`${CONFIG_MAPS}/big-0`)).status).toBe(200);
    expect((await api.send('DELETE', `${CONFIG_MAPS}/big-0`)).status).toBe(200);
    expect((await api.send('DELETE', CONFIG_MAPS)).status).toBe(200);
    await freeSpace(etcd().endpoint);
    expect((await api.send('POST', CONFIG_MAPS, configMap('small', 1))).status).toBe(201);
    await waitUntil('the alarm to be seen as disarmed', async () => (await api.get('/readyz/etcd-space')).text === 'ok');
    expect(server().process.output.split('\n').length).toBeLessThan(30);
  }, 60_000);
});
