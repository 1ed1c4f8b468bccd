import { objectAt, stringAt } from '../../shared/values/json';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { writeClusterInfo } from './cluster-info';

const RBAC = '/apis/rbac.authorization.platform.io/v1';
const UPSTREAM_RBAC = '/apis/rbac.authorization.k8s.io/v1';
const signal = new AbortController().signal;

test('writeClusterInfo lets anonymous users read the cluster-info ConfigMap and nothing else', async () => {
  const { api, client } = fakeClient();
  await writeClusterInfo(client, { server: 'https://192.0.2.1:6443', authority: 'PEM', naming: 'platform' }, signal);
  const namespace = 'platform-public';
  const name = 'bootstrap-signer-clusterinfo';
  expect(api.get(`${RBAC}/roles`, namespace, name)).toMatchObject({
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }],
  });
  expect(api.get(`${RBAC}/rolebindings`, namespace, name)).toMatchObject({
    roleRef: { apiGroup: 'rbac.authorization.platform.io', kind: 'Role', name },
    subjects: [{ apiGroup: 'rbac.authorization.platform.io', kind: 'User', name: 'system:anonymous' }],
  });
  const text = stringAt(objectAt(api.get('/api/v1/configmaps', namespace, 'cluster-info'), 'data'), 'kubeconfig');
  expect(text).toContain('server: https://192.0.2.1:6443\n');
  expect(text).toContain(`certificate-authority-data: ${Buffer.from('PEM').toString('base64')}\n`);
});

test('writeClusterInfo uses the names of kubeadm with the naming kubernetes', async () => {
  const { api, client } = fakeClient({ dialect: 'kubernetes' });
  await writeClusterInfo(client, { server: 'https://192.0.2.1:6443', authority: 'PEM', naming: 'kubernetes' }, signal);
  const name = 'kubeadm:bootstrap-signer-clusterinfo';
  expect(api.get(`${UPSTREAM_RBAC}/roles`, 'kube-public', name)).toBeDefined();
  expect(api.get(`${UPSTREAM_RBAC}/rolebindings`, 'kube-public', name)).toMatchObject({
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:anonymous' }],
  });
  expect(api.get('/api/v1/configmaps', 'kube-public', 'cluster-info')).toBeDefined();
});

test('writeClusterInfo updates the address and keeps other data of cluster-info', async () => {
  const { api, client } = fakeClient();
  const at = (port: number) => ({ server: `https://192.0.2.1:${port}`, authority: 'PEM', naming: 'platform' as const });
  await writeClusterInfo(client, at(1), signal);
  const before = api.get('/api/v1/configmaps', 'platform-public', 'cluster-info');
  api.put('/api/v1/configmaps', { ...before, data: { ...objectAt(before, 'data'), mine: 'm' } });
  await writeClusterInfo(client, at(2), signal);
  const after = objectAt(api.get('/api/v1/configmaps', 'platform-public', 'cluster-info'), 'data');
  expect(stringAt(after, 'kubeconfig')).toContain('https://192.0.2.1:2\n');
  expect(stringAt(after, 'mine')).toBe('m');
});
