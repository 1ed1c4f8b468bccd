/** Namespaces that are made for whoever creates an object: many at once, and where somebody outside is to be asked as well. What is answered otherwise is in admission.test.ts. */
import { useServer } from './fixture';

const api = useServer({ plugins: { enabled: ['NamespaceAutoProvision'], disabled: [] } });

const post = (path: string, body: object) => api.post(path, body);
const create = (namespace: string, name: string) => post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });

test('all who come at once find it', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => create('together', `m${index}`)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
});

test('it is there before webhooks are asked', async () => {
  const webhook = {
    name: 'away.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods/eviction'] }],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const path = '/apis/admissionregistration.platform.io/v1/validatingwebhookconfigurations';
  expect((await post(path, { metadata: { name: 'away' }, webhooks: [webhook] })).status).toBe(201);
  expect((await create('asked', 'm')).status).toBe(201);
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'x' } };
  const answer = await post('/api/v1/namespaces/evicted/pods/x/eviction', eviction);
  expect(answer.text).toContain('pods \\"x\\" not found');
  expect((await api.get('/api/v1/namespaces/evicted')).status).toBe(200);
});
