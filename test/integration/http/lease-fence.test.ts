/** Fenced writes: which clients learn from the response whether the Lease of the fence matches. */
import { grantClusterRole } from './access-setup';
import { useServer } from './fixture';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const SYSTEM_ACCOUNT = 'system:serviceaccount:kube-system:c';
const OTHER_ACCOUNT = 'system:serviceaccount:default:c';

const api = useServer({ naming: 'kubernetes' });
beforeAll(async () => {
  await api.create(LEASES, { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseTransitions: 3 } });
  await grantClusterRole(api, 'writer', { verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }, [
    'ann',
    'bob',
    SYSTEM_ACCOUNT,
    OTHER_ACCOUNT,
  ]);
  await grantClusterRole(api, 'reader', { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }, ['bob']);
});

const dryRunFenced = (user: string, fence: string) => {
  const headers = { 'impersonate-user': user, 'x-lease-fence': fence };
  return api.post('/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'm' } }, { headers });
};

/** A fence names a Lease, a term (`leaseTransitions`) and a holder. */
const MATCHING_FENCE = 'default/l;3;me';
const OTHER_FENCES = ['default/l;2;me', 'default/l;3;you', 'default/none;3;me'];

it('a fenced write of a caller that may read the Lease succeeds or conflicts by the content of the Lease', async () => {
  expect(await dryRunFenced('bob', MATCHING_FENCE)).toMatchObject({ status: 201 });
  for (const wrong of OTHER_FENCES) expect(await dryRunFenced('bob', wrong)).toMatchObject({ status: 409 });
});

it.each(['ann', OTHER_ACCOUNT])(
  'a fenced write of %s, which may not read the Lease, always conflicts with the same message',
  async (user) => {
    for (const fence of [MATCHING_FENCE, ...OTHER_FENCES]) {
      const [lease = '', term = '', holder = ''] = fence.split(';');
      const message = `the term ${term} of "${holder}" under the lease "${lease}" is over`;
      expect((await dryRunFenced(user, fence)).refusal).toEqual([409, `Operation cannot be fulfilled on configmaps "m": ${message}`]);
    }
  },
);

it('a fenced write of a service account in the system namespace succeeds or conflicts by the content of the Lease', async () => {
  expect(await dryRunFenced(SYSTEM_ACCOUNT, MATCHING_FENCE)).toMatchObject({ status: 201 });
  expect(await dryRunFenced(SYSTEM_ACCOUNT, 'default/l;2;me')).toMatchObject({ status: 409 });
});
