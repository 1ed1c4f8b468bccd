/** What the parts about access share: ConfigMaps, a service account that may read them, and the cost of a get of them. */
import type { BenchServer } from '../harness/bench-server';
import { configMap } from '../harness/client';
import { measureWarmLoop, type Cost } from '../harness/measure';

export const ACCESS_CONFIG_MAPS = '/api/v1/namespaces/access/configmaps';
/** The ConfigMaps are named `o-0`, `o-1` and so on. */
export const ACCESS_OBJECTS = 1_000;

/**
 * Creates {@link ACCESS_OBJECTS} ConfigMaps of 1,000 characters. Resolves with the token of a service account that a
 * role allows to read them.
 */
export async function prepareAccess({ client }: Pick<BenchServer, 'client'>): Promise<string> {
  const post = (path: string, body: object | string): Promise<number> => client.send('POST', path, body);
  await post('/api/v1/namespaces', { metadata: { name: 'access' } });
  for (let n = 0; n < ACCESS_OBJECTS; n += 1) await post(ACCESS_CONFIG_MAPS, configMap('access', `o-${n}`, '', 1000));
  await post('/api/v1/namespaces/access/serviceaccounts', { metadata: { name: 'robot' } });
  const rbac = '/apis/rbac.authorization.platform.io/v1/namespaces/access';
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }];
  await post(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.platform.io', kind: 'Role', name: 'reader' };
  await post(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, roleRef, subjects: [{ kind: 'ServiceAccount', name: 'robot' }] });
  const request = { spec: { expirationSeconds: 3600 } };
  const token = await client.text('POST', '/api/v1/namespaces/access/serviceaccounts/robot/token', request);
  return /"token":"([^"]+)"/.exec(token)?.[1] ?? '';
}

/** CPU time of the server per get. */
export function measureGet({ client, pid }: Pick<BenchServer, 'client' | 'pid'>, seconds: number): Promise<Cost> {
  return measureWarmLoop(
    pid,
    { workers: 32, seconds },
    async (index) => void (await client.send('GET', `${ACCESS_CONFIG_MAPS}/o-${index % ACCESS_OBJECTS}`)),
  );
}
