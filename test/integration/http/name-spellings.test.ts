/**
 * Names in the spellings of both dialects: an object cannot have different values under the two spellings of a name,
 * and a policy applies to both spellings.
 */
import { NO_OVERRIDES } from '../../../apiserver/admission/plugins/plugin-overrides';
import { DIALECTS, GENERATED_NAMES, qualifiedNameInDialect, type Dialect } from '../../../shared/names/dialect';
import { waitUntil } from '../../support/programs';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { APPLY_PATCH, JSON_PATCH, STRATEGIC_PATCH, type ApiResponse } from './api-call';
import { useServer } from './fixture';

const WITHOUT_ACCOUNTS = { ...NO_OVERRIDES, disabled: ['ServiceAccount'] };
const ENFORCE = ['pod-security.kubernetes.io/enforce', 'pod-security.platform.io/enforce'] as const;
const [UPSTREAM, NEUTRAL] = ENFORCE;

const api = useServer({ plugins: WITHOUT_ACCOUNTS });

const namespace = (name: string, labels: object): object => ({ metadata: { name, labels } });
/** The cause of a rejection for two values under the two spellings. */
const REFUSAL = `metadata.labels[${NEUTRAL}]: Invalid value: "privileged": must be the same as ${UPSTREAM}, which is the same name`;

describe('both spellings of one name in one object', () => {
  const both = { [UPSTREAM]: 'restricted', [NEUTRAL]: 'privileged' };
  const bothReversed = { [NEUTRAL]: 'privileged', [UPSTREAM]: 'restricted' };

  test.each([both, bothReversed])('are rejected in a new Namespace with the labels %j', async (labels) => {
    const response = await api.post('/api/v1/namespaces', namespace('double', labels));
    expect(response.refusal).toEqual([422, `Namespace "double" is invalid: ${REFUSAL}`]);
  });

  test('are rejected when an update or any kind of patch adds the other spelling', async () => {
    await api.create('/api/v1/namespaces', namespace('single', { [UPSTREAM]: 'restricted' }));
    const path = '/api/v1/namespaces/single';
    const changed = { apiVersion: 'v1', kind: 'Namespace', ...namespace('single', both) };
    const merged = { metadata: { labels: { [NEUTRAL]: 'privileged' } } };
    const added = { op: 'add', path: `/metadata/labels/${NEUTRAL.replace('/', '~1')}`, value: 'privileged' };
    const applied = { ...changed, ...namespace('single', { [NEUTRAL]: 'privileged' }) };
    const responses = await Promise.all([
      api.put(path, changed),
      api.put(`${path}/status`, changed),
      api.mergePatch(path, merged),
      api.patch(path, merged, STRATEGIC_PATCH),
      api.patch(path, [added], JSON_PATCH),
      api.patch(`${path}?fieldManager=m`, applied, APPLY_PATCH),
    ]);
    for (const response of responses) expect(response.refusal).toEqual([422, `Namespace "single" is invalid: ${REFUSAL}`]);
  });

  test('are accepted with equal values and stored as sent', async () => {
    const labels = { [UPSTREAM]: 'baseline', [NEUTRAL]: 'baseline' };
    const response = await api.post('/api/v1/namespaces', namespace('agreed', labels));
    expect([response.status, response.json['metadata']]).toMatchObject([201, { labels }]);
  });

  test('are rejected in the pod template of a workload', async () => {
    const template = {
      metadata: { labels: { app: 'a' }, annotations: { 'kubernetes.io/x': '1', 'platform.io/x': '2' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    const response = await api.post('/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'd' }, spec });
    expect(response.refusal).toEqual([
      422,
      'Deployment.apps "d" is invalid: spec.template.metadata.annotations[platform.io/x]: Invalid value: "2": must be the same as kubernetes.io/x, which is the same name',
    ]);
  });

  test('are rejected when a binding adds the other spelling to its pod', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = { metadata: { name: 'p', annotations: { 'kubernetes.io/x': '1' } }, spec };
    await api.create('/api/v1/namespaces/default/pods', pod);
    const binding = { metadata: { name: 'p', annotations: { 'platform.io/x': '2' } }, target: { name: 'n' } };
    const response = await api.post('/api/v1/namespaces/default/pods/p/binding', binding);
    expect(response.status).toBe(409);
    expect(response.message).toContain('annotation platform.io/x must be the same as kubernetes.io/x');
  });
});

describe('both spellings of a schema member', () => {
  const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
  const STRICT_DEFINITIONS = `${DEFINITIONS}?fieldValidation=Strict`;
  const DEFINITION = `${DEFINITIONS}/things.example.com`;
  const RULES_A = [{ rule: "self.metadata.name != 'a'" }];
  const RULES_B = [{ rule: "self.metadata.name != 'b'" }];
  const DIFFER = expect.stringContaining('two spellings of the same field and differ');

  const definitionWith = (schema: object): object => ({
    apiVersion: 'apiextensions.platform.io/v1',
    kind: 'CustomResourceDefinition',
    ...customResourceDefinition({ plural: 'things', kind: 'Thing', group: 'example.com', schema }),
  });

  /** Checks that the response has the rules under upstream's spelling, and no member of the other spelling. */
  function expectUpstreamSpelling({ status, text }: ApiResponse, expectedStatus: number, rules: object): void {
    expect(status).toBe(expectedStatus);
    expect(text).toContain(`"x-kubernetes-validations":${JSON.stringify(rules)}`);
    expect(text).not.toContain('x-platform');
  }

  test('are rejected in a new definition when they differ', async () => {
    const definition = definitionWith({ 'x-platform-validations': RULES_A, 'x-kubernetes-validations': RULES_B });
    expect((await api.post(STRICT_DEFINITIONS, definition)).refusal).toEqual([400, DIFFER]);
  });

  test('are one member: the neutral spelling is accepted by each kind of write and stored as the other', async () => {
    const withRulesA = definitionWith({ 'x-platform-validations': RULES_A });
    expectUpstreamSpelling(await api.post(STRICT_DEFINITIONS, withRulesA), 201, RULES_A);
    expectUpstreamSpelling(await api.patch(`${DEFINITION}?fieldManager=m`, withRulesA, APPLY_PATCH), 200, RULES_A);
    expectUpstreamSpelling(await api.mergePatch(DEFINITION, definitionWith({ 'x-platform-validations': RULES_B })), 200, RULES_B);
  });

  test('are rejected when a JSON patch adds the other spelling with another value', async () => {
    const added = { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/x-platform-validations', value: RULES_A };
    expect((await api.patch(DEFINITION, [added], JSON_PATCH)).refusal).toEqual([422, DIFFER]);
  });
});

describe.each(DIALECTS)('a server with --naming=%s', (naming) => {
  const server = useServer({ naming, plugins: WITHOUT_ACCOUNTS });

  async function createPolicy(name: string, constraints: object, expression: string): Promise<void> {
    const base = '/apis/admissionregistration.k8s.io/v1';
    const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
    const spec = { matchConstraints: { resourceRules: [rule], ...constraints }, validations: [{ expression, message: name }] };
    await server.create(`${base}/validatingadmissionpolicies`, { metadata: { name }, spec });
    const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
    await server.create(`${base}/validatingadmissionpolicybindings`, binding);
  }

  /** The message of the rejection. Retries, because policies reach the server through its watch. */
  const waitForRejection = (path: string, body: object): Promise<unknown> =>
    waitUntil('a rejection by the policy', async () => {
      const response = await server.post(`${path}?dryRun=All`, body);
      return response.status === 422 && response.message;
    });

  test('applies a policy on the type of Secrets to both spellings of the type', async () => {
    const [upstream, neutral] = (['kubernetes', 'platform'] as const).map((dialect) =>
      qualifiedNameInDialect(dialect, 'platform.io/basic-auth'),
    );
    await createPolicy('no-basic', {}, `!has(object.type) || object.type != '${upstream}'`);
    await createPolicy('no-tls', {}, "!has(object.type) || !object.type.startsWith('platform.io/tls')");
    const secret = (type: string | undefined): object => ({
      metadata: { generateName: 's-' },
      type,
      data: { username: '', 'tls.crt': '', 'tls.key': '' },
    });
    const path = '/api/v1/namespaces/default/secrets';
    for (const type of [upstream, neutral]) expect(await waitForRejection(path, secret(type))).toContain('no-basic');
    for (const type of ['kubernetes.io/tls', 'platform.io/tls']) expect(await waitForRejection(path, secret(type))).toContain('no-tls');
    await server.create(`${path}?dryRun=All`, secret('Opaque'));
  });

  test.each(DIALECTS)('applies a policy that names the system namespace as in %s to both spellings', async (dialect: Dialect) => {
    const { systemNamespace, prefix } = GENERATED_NAMES[dialect];
    const values = [systemNamespace];
    const inSystem = { matchExpressions: [{ key: `${prefix}/metadata.name`, operator: 'In', values }] };
    await createPolicy(`selector-${dialect}`, { namespaceSelector: inSystem }, "object.metadata.name != 'a'");
    await createPolicy(`request-${dialect}`, {}, `request.namespace != '${systemNamespace}' || object.metadata.name != 'b'`);
    for (const { systemNamespace: spelling } of Object.values(GENERATED_NAMES)) {
      const path = `/api/v1/namespaces/${spelling}/configmaps`;
      expect(await waitForRejection(path, { metadata: { name: 'a' } })).toContain(`selector-${dialect}`);
      expect(await waitForRejection(path, { metadata: { name: 'b' } })).toContain(`request-${dialect}`);
      await server.create(`${path}?dryRun=All`, { metadata: { name: 'c' } });
    }
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
    for (const name of ['a', 'b']) await server.create(path, { metadata: { name } });
  });

  test('applies a policy that names an API group in one spelling to both', async () => {
    const conditions = ['coordination.k8s.io', 'coordination.platform.io'];
    for (const [index, group] of conditions.entries())
      await createPolicy(`group-${index}`, {}, `request.resource.group != '${group}' || object.metadata.name != 'no-${index}'`);
    for (const group of conditions)
      for (const index of conditions.keys()) {
        const lease = { metadata: { name: `no-${index}` }, spec: {} };
        expect(await waitForRejection(`/apis/${group}/v1/namespaces/default/leases`, lease)).toContain(`group-${index}`);
      }
  });
});
