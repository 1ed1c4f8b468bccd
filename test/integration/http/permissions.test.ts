/** A permission that is given or taken on one replica soon counts on all of them: within a second, unless the machine has other work. */
import { MemoryStore } from '../../support/memory-store';
import { ALICE } from './call';
import { type Fixture, startFixture } from './fixture';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const PODS = '/api/v1/pods';
const LIMIT_MS = 5_000;

let replicas: readonly [Fixture, Fixture];
beforeAll(async () => {
  const store = new MemoryStore();
  replicas = await Promise.all([startFixture({}, store), startFixture({}, store)]);
});
afterAll(() => Promise.all(replicas.map((replica) => replica.stop())));

async function until(status: number): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 2 * LIMIT_MS) {
    const answers = await Promise.all(replicas.map((replica) => replica.get(PODS, { token: ALICE })));
    if (answers.every((answer) => answer.status === status)) return performance.now() - start;
  }
  throw new Error(`never ${status} on all`);
}

async function write(method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await replicas[0].call(`${RBAC}/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (status >= 300) throw new Error(text);
}

const apiGroup = 'rbac.authorization.k8s.io';
const rules = (verbs: string[]): object => ({ metadata: { name: 'pods' }, rules: [{ verbs, apiGroups: [''], resources: ['pods'] }] });
const binding = {
  metadata: { name: 'pods' },
  roleRef: { apiGroup, kind: 'ClusterRole', name: 'pods' },
  subjects: [{ apiGroup, kind: 'User', name: 'alice' }],
};

it.each<[string, number, () => Promise<void>]>([
  ['a role', 403, () => write('POST', 'clusterroles', rules(['get', 'list']))],
  ['its binding', 200, () => write('POST', 'clusterrolebindings', binding)],
  ['a role without the verb', 403, () => write('PUT', 'clusterroles/pods', rules(['get']))],
  ['the verb again', 200, () => write('PUT', 'clusterroles/pods', rules(['list']))],
  ['a role that is gone', 403, () => write('DELETE', 'clusterroles/pods')],
  ['the role again', 200, () => write('POST', 'clusterroles', rules(['list']))],
  ['a binding that is gone', 403, () => write('DELETE', 'clusterrolebindings/pods')],
])('%s: %i', async (_what, status, change) => {
  await change();
  expect(await until(status)).toBeLessThan(LIMIT_MS);
});
