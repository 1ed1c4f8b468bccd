/** What a caller can learn about the Lease that its write names as a fence. */
import { ADMIN, type Answer } from './call';
import { useServer } from './fixture';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

const api = useServer({ naming: 'kubernetes' });
beforeAll(async () => {
  await make(LEASES, { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseTransitions: 3 } });
  await grant('writer', ['configmaps'], '', ['ann', 'bob', 'system:serviceaccount:kube-system:c', 'system:serviceaccount:default:c']);
  await grant('reader', ['leases'], 'coordination.k8s.io', ['bob']);
});

async function make(path: string, body: object): Promise<void> {
  const answer = await api.post(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
}

async function grant(name: string, resources: readonly string[], apiGroup: string, users: readonly string[]): Promise<void> {
  await make(`${RBAC}/clusterroles`, { metadata: { name }, rules: [{ verbs: ['*'], apiGroups: [apiGroup], resources }] });
  await make(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
  });
}

function write(user: string, fence: string): Promise<Answer> {
  return api.post(
    '/api/v1/namespaces/default/configmaps?dryRun=All',
    { metadata: { name: 'm' } },
    { token: ADMIN, headers: { 'impersonate-user': user, 'x-lease-fence': fence } },
  );
}

const RIGHT = 'default/l;3;me';

it('a fenced write of a caller that may read the Lease succeeds or conflicts by the content of the Lease', async () => {
  expect(await write('bob', RIGHT)).toMatchObject({ status: 201 });
  for (const wrong of ['default/l;2;me', 'default/l;3;you', 'default/none;3;me'])
    expect(await write('bob', wrong)).toMatchObject({ status: 409 });
});

it('a fenced write of a caller that may not read the Lease always conflicts, with the same message', async () => {
  const over = (fence: string): string => {
    const [lease = '', term = '', holder = ''] = fence.split(';');
    return `Operation cannot be fulfilled on configmaps "m": the term ${term} of "${holder}" under the lease "${lease}" is over`;
  };
  for (const fence of [RIGHT, 'default/l;2;me', 'default/l;3;you', 'default/none;3;me'])
    for (const user of ['ann', 'system:serviceaccount:default:c']) {
      const answer = await write(user, fence);
      expect([answer.status, answer.message]).toEqual([409, over(fence)]);
    }
});

it('a fenced write of a service account in the system namespace succeeds or conflicts by the content of the Lease', async () => {
  expect(await write('system:serviceaccount:kube-system:c', RIGHT)).toMatchObject({ status: 201 });
  expect(await write('system:serviceaccount:kube-system:c', 'default/l;2;me')).toMatchObject({ status: 409 });
});
