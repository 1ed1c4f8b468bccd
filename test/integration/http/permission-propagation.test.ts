/**
 * A permission that is granted or revoked through one replica takes effect on all of them: within a second, or later on
 * a busy machine.
 */
import { ALICE, type ApiResponse } from './api-call';
import { useReplicas } from './fixture';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/clusterroles`;
const BINDINGS = `${RBAC}/clusterrolebindings`;
/** A second is usual; the rest is for a busy machine. */
const LIMIT_MS = 5_000;

const replicas = useReplicas();
const [api] = replicas;

/** The milliseconds until all replicas respond to alice with the status. */
async function timeUntilStatus(status: number): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 2 * LIMIT_MS) {
    const responses = await Promise.all(replicas.map((replica) => replica.get('/api/v1/pods', { token: ALICE })));
    if (responses.every((response) => response.status === status)) return performance.now() - start;
  }
  throw new Error(`never ${status} on all`);
}

const apiGroup = 'rbac.authorization.k8s.io';
const role = (...verbs: string[]): object => ({ metadata: { name: 'pods' }, rules: [{ verbs, apiGroups: [''], resources: ['pods'] }] });
const binding = {
  metadata: { name: 'pods' },
  roleRef: { apiGroup, kind: 'ClusterRole', name: 'pods' },
  subjects: [{ apiGroup, kind: 'User', name: 'alice' }],
};

// Each change is made to the objects that the changes before it left.
it.each<[change: string, status: number, makeChange: () => Promise<ApiResponse>]>([
  ['a role is created', 403, () => api.create(ROLES, role('get', 'list'))],
  ['its binding is created', 200, () => api.create(BINDINGS, binding)],
  ['the role loses the verb', 403, () => api.put(`${ROLES}/pods`, role('get'))],
  ['the role has the verb again', 200, () => api.put(`${ROLES}/pods`, role('list'))],
  ['the role is deleted', 403, () => api.delete(`${ROLES}/pods`)],
  ['the role is created again', 200, () => api.create(ROLES, role('list'))],
  ['the binding is deleted', 403, () => api.delete(`${BINDINGS}/pods`)],
])('after %s every replica responds %i to the user', async (_change, status, makeChange) => {
  expect((await makeChange()).status).toBeLessThan(300);
  expect(await timeUntilStatus(status)).toBeLessThan(LIMIT_MS);
});
