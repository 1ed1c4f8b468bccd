/** What a client can learn about the Lease that its write names as a fence. */
import { grant } from './access-setup';
import { useServer } from './fixture';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const SYSTEM = 'system:serviceaccount:kube-system:c';
const OTHER = 'system:serviceaccount:default:c';

const api = useServer({ naming: 'kubernetes' });
beforeAll(async () => {
  await api.create(LEASES, { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseTransitions: 3 } });
  await grant(api, 'writer', { verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }, ['ann', 'bob', SYSTEM, OTHER]);
  await grant(api, 'reader', { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }, ['bob']);
});

const write = (user: string, fence: string) => {
  const headers = { 'impersonate-user': user, 'x-lease-fence': fence };
  return api.post('/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'm' } }, { headers });
};

const RIGHT = 'default/l;3;me';
const WRONG = ['default/l;2;me', 'default/l;3;you', 'default/none;3;me'];

it('a fenced write of a caller that may read the Lease succeeds or conflicts by the content of the Lease', async () => {
  expect(await write('bob', RIGHT)).toMatchObject({ status: 201 });
  for (const wrong of WRONG) expect(await write('bob', wrong)).toMatchObject({ status: 409 });
});

it.each(['ann', OTHER])('a fenced write of %s, which may not read the Lease, always conflicts with the same message', async (user) => {
  for (const fence of [RIGHT, ...WRONG]) {
    const [lease = '', term = '', holder = ''] = fence.split(';');
    const over = `the term ${term} of "${holder}" under the lease "${lease}" is over`;
    expect((await write(user, fence)).refusal).toEqual([409, `Operation cannot be fulfilled on configmaps "m": ${over}`]);
  }
});

it('a fenced write of a service account in the system namespace succeeds or conflicts by the content of the Lease', async () => {
  expect(await write(SYSTEM, RIGHT)).toMatchObject({ status: 201 });
  expect(await write(SYSTEM, 'default/l;2;me')).toMatchObject({ status: 409 });
});
