/** `npm start` with etcd and three API servers on consecutive ports. */
import { describeWithEtcd, startEtcd } from '../support/external/etcd';
import { isProcessAlive, waitUntil } from '../support/programs';
import { useResource } from '../support/use-resource';
import { pidOf, requestPlainHttp, useControlPlane, useLocation } from './local-control-plane';

describeWithEtcd('npm start with etcd and three replicas', () => {
  const etcd = useResource(startEtcd, (server) => server.dispose());
  const location = useLocation('npm-start-replicas', 3);
  const controlPlane = useControlPlane(location, () => [`--etcd-servers=${etcd().endpoint}`, '--replicas=3']);

  const REPLICAS = [0, 1, 2];

  it('serves the same objects on three consecutive ports', async () => {
    const list = '/api/v1/namespaces/default/configmaps';
    const created = await requestPlainHttp(location(), {
      method: 'POST',
      path: list,
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shared"}}',
    });
    expect(created.status).toBe(201);
    for (const replica of REPLICAS) {
      const insecurePort = location().insecurePort + replica;
      expect((await requestPlainHttp({ insecurePort }, { path: `${list}/shared` })).status).toBe(200);
    }
  });

  it('runs three processes, and prints the address of each', () => {
    const pids = REPLICAS.map((index) => pidOf(location(), `apiserver-${index}`));
    expect(new Set(pids).size).toBe(3);
    expect(pids.every(isProcessAlive)).toBe(true);
    for (const replica of REPLICAS) {
      expect(controlPlane().supervisor.output).toContain(`https://127.0.0.1:${location().securePort + replica}`);
    }
  });

  it('restarts a killed replica while the others keep running', async () => {
    const before = pidOf(location(), 'apiserver-1');
    process.kill(before, 'SIGKILL');
    expect((await requestPlainHttp(location(), { path: '/readyz' })).status).toBe(200);
    await waitUntil('the second replica to be back', async () => {
      const second = { insecurePort: location().insecurePort + 1 };
      const response = await requestPlainHttp(second, { path: '/readyz' }).catch(() => undefined);
      return response?.status === 200 && pidOf(location(), 'apiserver-1') !== before;
    });
  });
});
