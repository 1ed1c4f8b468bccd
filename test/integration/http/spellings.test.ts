/** Names in two spellings over HTTP: an object cannot have different values under the two spellings of a name, and a rule applies to both spellings. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { DIALECTS, GENERATED_NAMES, qualifiedNameIn, type Dialect } from '../../../shared/names/dialect';
import { waitUntil } from '../../support/programs';
import { type Answer } from './call';
import { useServer } from './fixture';

const WITHOUT_ACCOUNTS = { ...AS_THE_TABLE_SAYS, disabled: ['ServiceAccount'] };
const ENFORCE = ['pod-security.kubernetes.io/enforce', 'pod-security.platform.io/enforce'] as const;
const [UPSTREAM, NEUTRAL] = ENFORCE;

const api = useServer({ plugins: WITHOUT_ACCOUNTS });

const send = (method: string, path: string, body: object, type = 'application/json'): Promise<Answer> =>
  api.call(path, { local: true, method, headers: { 'content-type': type }, body: body });
const create = (path: string, body: object): Promise<Answer> => send('POST', path, body);
const namespace = (name: string, labels: object): object => ({ metadata: { name, labels } });
const REFUSAL = `metadata.labels[${NEUTRAL}]: Invalid value: "privileged": must be the same as ${UPSTREAM}, which is the same name`;

describe('both spellings of one name in one object', () => {
  const both = { [UPSTREAM]: 'restricted', [NEUTRAL]: 'privileged' };
  const inOrder = { [NEUTRAL]: 'privileged', [UPSTREAM]: 'restricted' };

  test.each([both, inOrder])('are rejected in a new Namespace with the labels %j', async (labels) => {
    const answer = await create('/api/v1/namespaces', namespace('double', labels));
    expect([answer.status, answer.message]).toEqual([422, `Namespace "double" is invalid: ${REFUSAL}`]);
  });

  test('are rejected when an update or any kind of patch adds the other spelling', async () => {
    await expect(create('/api/v1/namespaces', namespace('single', { [UPSTREAM]: 'restricted' }))).resolves.toMatchObject({ status: 201 });
    const path = '/api/v1/namespaces/single';
    const changed = { apiVersion: 'v1', kind: 'Namespace', ...namespace('single', both) };
    const answers = await Promise.all([
      send('PUT', path, changed),
      send('PATCH', path, { metadata: { labels: { [NEUTRAL]: 'privileged' } } }, 'application/merge-patch+json'),
      send('PATCH', path, { metadata: { labels: { [NEUTRAL]: 'privileged' } } }, 'application/strategic-merge-patch+json'),
      send(
        'PATCH',
        path,
        [{ op: 'add', path: `/metadata/labels/${NEUTRAL.replace('/', '~1')}`, value: 'privileged' }],
        'application/json-patch+json',
      ),
      send(
        'PATCH',
        `${path}?fieldManager=m`,
        { ...changed, ...namespace('single', { [NEUTRAL]: 'privileged' }) },
        'application/apply-patch+yaml',
      ),
      send('PUT', `${path}/status`, changed),
    ]);
    for (const answer of answers) expect([answer.status, answer.message]).toEqual([422, `Namespace "single" is invalid: ${REFUSAL}`]);
  });

  test('are accepted with equal values and stored as sent', async () => {
    const labels = { [UPSTREAM]: 'baseline', [NEUTRAL]: 'baseline' };
    const answer = await create('/api/v1/namespaces', namespace('agreed', labels));
    expect([answer.status, answer.json['metadata']]).toMatchObject([201, { labels }]);
  });

  test('are rejected in the pod template of a workload', async () => {
    const template = {
      metadata: { labels: { app: 'a' }, annotations: { 'kubernetes.io/x': '1', 'platform.io/x': '2' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    const answer = await create('/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'd' }, spec });
    expect([answer.status, answer.message]).toEqual([
      422,
      'Deployment.apps "d" is invalid: spec.template.metadata.annotations[platform.io/x]: Invalid value: "2": must be the same as kubernetes.io/x, which is the same name',
    ]);
  });

  test('are rejected when a binding adds the other spelling to its pod', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = { metadata: { name: 'p', annotations: { 'kubernetes.io/x': '1' } }, spec };
    await expect(create('/api/v1/namespaces/default/pods', pod)).resolves.toMatchObject({ status: 201 });
    const binding = { metadata: { name: 'p', annotations: { 'platform.io/x': '2' } }, target: { name: 'n' } };
    const answer = await create('/api/v1/namespaces/default/pods/p/binding', binding);
    expect(answer.status).toBe(409);
    expect(answer.message).toContain('annotation platform.io/x must be the same as kubernetes.io/x');
  });

  test('are rejected for a schema member when they differ, while the neutral spelling alone is accepted', async () => {
    const definition = (schema: object): object => ({
      apiVersion: 'apiextensions.platform.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
      },
    });
    const [a, b] = [[{ rule: "self.metadata.name != 'a'" }], [{ rule: "self.metadata.name != 'b'" }]];
    const path = '/apis/apiextensions.platform.io/v1/customresourcedefinitions?fieldValidation=Strict';
    const refused = await create(path, definition({ 'x-platform-validations': a, 'x-kubernetes-validations': b }));
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('two spellings of one member and differ')]);
    const made = await create(path, definition({ 'x-platform-validations': a }));
    expect(made.status).toBe(201);
    const stored = `"x-kubernetes-validations":[{"rule":"self.metadata.name != 'a'"}]`;
    expect(made.text).toContain(stored);
    const one = '/apis/apiextensions.platform.io/v1/customresourcedefinitions/things.example.com';
    const applied = await send(
      'PATCH',
      `${one}?fieldManager=m`,
      definition({ 'x-platform-validations': a }),
      'application/apply-patch+yaml',
    );
    expect([applied.status, applied.text.includes(stored), applied.text.includes('x-platform')]).toEqual([200, true, false]);
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-platform-validations': b } } },
    ];
    const merged = await send('PATCH', one, { spec: { versions } }, 'application/merge-patch+json');
    expect([merged.status, merged.text.includes(JSON.stringify(b)), merged.text.includes('x-platform')]).toEqual([200, true, false]);
    const schema = '/spec/versions/0/schema/openAPIV3Schema/x-platform-validations';
    const added = await send('PATCH', one, [{ op: 'add', path: schema, value: a }], 'application/json-patch+json');
    expect([added.status, added.message]).toEqual([422, expect.stringContaining('two spellings of one member and differ')]);
  });
});

describe.each(DIALECTS)('a server with --naming=%s', (naming) => {
  const server = useServer({ naming, plugins: WITHOUT_ACCOUNTS });
  const post = (path: string, body: object): Promise<Answer> => server.post(path, body, { local: true });

  async function enforce(name: string, constraints: object, expression: string): Promise<void> {
    const base = '/apis/admissionregistration.k8s.io/v1';
    const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
    const spec = { matchConstraints: { resourceRules: [rule], ...constraints }, validations: [{ expression, message: name }] };
    await expect(post(`${base}/validatingadmissionpolicies`, { metadata: { name }, spec })).resolves.toMatchObject({ status: 201 });
    const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
    await expect(post(`${base}/validatingadmissionpolicybindings`, binding)).resolves.toMatchObject({ status: 201 });
  }

  /** The message of the rejection. Retries, because policies reach the server through its watch. */
  const refusal = (path: string, body: object): Promise<unknown> =>
    waitUntil('a rejection by the policy', async () => {
      const answer = await post(`${path}?dryRun=All`, body);
      return answer.status === 422 && answer.message;
    });

  test('applies a policy on the type of Secrets to both spellings of the type', async () => {
    const [upstream, neutral] = (['kubernetes', 'platform'] as const).map((dialect) => qualifiedNameIn(dialect, 'platform.io/basic-auth'));
    await enforce('no-basic', {}, `!has(object.type) || object.type != '${upstream}'`);
    await enforce('no-tls', {}, "!has(object.type) || !object.type.startsWith('platform.io/tls')");
    const secret = (type: string | undefined): object => ({
      metadata: { generateName: 's-' },
      type,
      data: { username: '', 'tls.crt': '', 'tls.key': '' },
    });
    const path = '/api/v1/namespaces/default/secrets';
    for (const type of [upstream, neutral]) expect(await refusal(path, secret(type))).toContain('no-basic');
    for (const type of ['kubernetes.io/tls', 'platform.io/tls']) expect(await refusal(path, secret(type))).toContain('no-tls');
    await expect(post(`${path}?dryRun=All`, secret('Opaque'))).resolves.toMatchObject({ status: 201 });
  });

  test.each(DIALECTS)('applies a policy that names the system namespace as in %s to both spellings', async (dialect: Dialect) => {
    const { systemNamespace, prefix } = GENERATED_NAMES[dialect];
    const values = [systemNamespace];
    const inSystem = { matchExpressions: [{ key: `${prefix}/metadata.name`, operator: 'In', values }] };
    await enforce(`selector-${dialect}`, { namespaceSelector: inSystem }, "object.metadata.name != 'a'");
    await enforce(`request-${dialect}`, {}, `request.namespace != '${systemNamespace}' || object.metadata.name != 'b'`);
    for (const { systemNamespace: place } of Object.values(GENERATED_NAMES)) {
      const path = `/api/v1/namespaces/${place}/configmaps`;
      expect(await refusal(path, { metadata: { name: 'a' } })).toContain(`selector-${dialect}`);
      expect(await refusal(path, { metadata: { name: 'b' } })).toContain(`request-${dialect}`);
      await expect(post(`${path}?dryRun=All`, { metadata: { name: 'c' } })).resolves.toMatchObject({ status: 201 });
    }
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
    for (const name of ['a', 'b']) await expect(post(path, { metadata: { name } })).resolves.toMatchObject({ status: 201 });
  });

  test('applies a policy that names an API group in one spelling to both', async () => {
    const conditions = ['coordination.k8s.io', 'coordination.platform.io'];
    for (const [at, group] of conditions.entries())
      await enforce(`group-${at}`, {}, `request.resource.group != '${group}' || object.metadata.name != 'no-${at}'`);
    for (const group of conditions)
      for (const at of conditions.keys()) {
        const lease = { metadata: { name: `no-${at}` }, spec: {} };
        expect(await refusal(`/apis/${group}/v1/namespaces/default/leases`, lease)).toContain(`group-${at}`);
      }
  });
});
