/**
 * SubjectAccessReviews, LocalSubjectAccessReviews, SelfSubjectAccessReviews and SelfSubjectRulesReviews over HTTP. The
 * expected responses are those of the reference server, except for the reasons of RBAC.
 */
import { ADMIN, ALICE } from './api-call';
import { useServer } from './fixture';

const GROUP = '/apis/authorization.k8s.io/v1';
const SUBJECT_REVIEWS = 'subjectaccessreviews';
const SELF_REVIEWS = 'selfsubjectaccessreviews';
const localReviews = (namespace: string): string => `namespaces/${namespace}/localsubjectaccessreviews`;
/** Of the cluster role `system:discovery`. */
const DISCOVERY_PATHS = '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'.split(' ');

const api = useServer({ naming: 'kubernetes' });

const getPods = (more: object = {}): object => ({ resourceAttributes: { verb: 'get', resource: 'pods', ...more } });
const getPath = (path: string): object => ({ nonResourceAttributes: { path, verb: 'get' } });

/** Creates a review, checks that the response repeats it, and returns the decision. */
async function decisionOn(resource: string, spec: object, token = ADMIN): Promise<unknown> {
  const response = await api.post(`${GROUP}/${resource}`, { spec }, { token });
  expect(response.status).toBe(201);
  expect(response.json).toMatchObject({ apiVersion: 'authorization.k8s.io/v1', spec, metadata: { creationTimestamp: null } });
  return response.json['status'];
}

const allowedByRole = (role: string, rule = ''): object => ({
  allowed: true,
  reason: `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "system:authenticated"${rule}`,
});

describe('a SubjectAccessReview', () => {
  it('denies what no role allows', async () => {
    const reason = 'no role is bound to user "x" or its groups for the whole cluster';
    expect(await decisionOn(SUBJECT_REVIEWS, { user: 'x', ...getPods() })).toEqual({ allowed: false, reason });
  });

  it('allows everything for the group system:masters, without a reason', async () => {
    expect(await decisionOn(SUBJECT_REVIEWS, { groups: ['system:masters'], ...getPods() })).toEqual({ allowed: true });
  });

  it('names the role, the binding and the rule that allow', async () => {
    const urls = DISCOVERY_PATHS.map((path) => JSON.stringify(path)).join(' ');
    const rule = `; by the rule {NonResourceURLs:[${urls}], Verbs:["get"]}`;
    const decision = await decisionOn(SUBJECT_REVIEWS, { groups: ['system:authenticated'], ...getPath('/api') });
    expect(decision).toEqual(allowedByRole('system:discovery', rule));
  });

  it.each(['kubernetes.io/kubelet-serving', 'platform.io/kubelet-serving'])('allows a controller to sign as %s', async (name) => {
    const resourceAttributes = { verb: 'sign', group: 'certificates.k8s.io', resource: 'signers', name };
    const spec = { user: 'system:serviceaccount:kube-system:certificate-controller', resourceAttributes };
    const reason = expect.stringContaining('system:controller:certificate-controller');
    expect(await decisionOn(SUBJECT_REVIEWS, spec)).toEqual({ allowed: true, reason });
  });

  it('requires permission', async () => {
    expect((await api.post(`${GROUP}/${SUBJECT_REVIEWS}`, {}, { token: ALICE })).status).toBe(403);
  });

  it('cannot be read', async () => {
    expect((await api.get(`${GROUP}/${SUBJECT_REVIEWS}`)).status).toBe(405);
  });
});

describe('a LocalSubjectAccessReview', () => {
  it.each(['default', 'none'])('denies what no role allows in the namespace %s', async (namespace) => {
    const reason = `no role is bound to user "x" or its groups for the whole cluster or the namespace "${namespace}"`;
    const decision = await decisionOn(localReviews(namespace), { user: 'x', ...getPods({ namespace }) });
    expect(decision).toEqual({ allowed: false, reason });
  });
});

describe('a SelfSubjectAccessReview', () => {
  const CREATE_REVIEWS = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' };

  it.each<[string, string, object, object]>([
    ['an administrator', ADMIN, getPods(), { allowed: true }],
    ['a user without a role', ALICE, getPods(), { allowed: false }],
    ['a user without a role', ALICE, getPath('/version'), allowedByRole('system:discovery')],
    ['a user without a role', ALICE, { resourceAttributes: CREATE_REVIEWS }, allowedByRole('system:basic-user')],
  ])('returns to %s (%s) the decision on %j', async (_user, token, spec, decision) => {
    expect(await decisionOn(SELF_REVIEWS, spec, token)).toEqual(decision);
  });

  it('requires authentication', async () => {
    expect((await api.post(`${GROUP}/${SELF_REVIEWS}`, {}, { token: null })).status).toBe(403);
  });
});

describe('an invalid access review', () => {
  const EXACTLY_ONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const NO_ATTRIBUTES = `spec.resourceAttributes: Invalid value: "null": ${EXACTLY_ONE}`;
  const NO_SUBJECT = 'spec.user: Invalid value: "": at least one of user or group must be specified';
  const PATH = 'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: ';
  const OTHER_NAMESPACE = 'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace';
  const NAMED_REVIEW = 'metadata: Invalid value: {"name":"n"}: must be empty';
  const NAMED_LOCAL_REVIEW = 'metadata: Invalid value: {"name":"n","namespace":"default"}: must be empty except for namespace';
  const LOCAL_REVIEWS = localReviews('default');
  const metadata = { name: 'n' };
  const getLocalPods = { user: 'x', ...getPods({ namespace: 'default' }) };

  it.each<[string, object, string]>([
    [SUBJECT_REVIEWS, {}, `[${NO_ATTRIBUTES}, ${NO_SUBJECT}]`],
    [SUBJECT_REVIEWS, { spec: getPods() }, NO_SUBJECT],
    [
      SUBJECT_REVIEWS,
      { spec: { user: 'x', ...getPods(), ...getPath('/') } },
      `${PATH}cannot be specified in combination with resourceAttributes`,
    ],
    [SUBJECT_REVIEWS, { spec: { user: 'x', ...getPods() }, metadata }, NAMED_REVIEW],
    [LOCAL_REVIEWS, { spec: { user: 'x', ...getPods() } }, OTHER_NAMESPACE],
    [LOCAL_REVIEWS, { spec: { user: 'x', ...getPath('/') } }, `${PATH}disallowed on this kind of request`],
    [LOCAL_REVIEWS, { spec: getLocalPods, metadata }, NAMED_LOCAL_REVIEW],
    [SELF_REVIEWS, {}, NO_ATTRIBUTES],
  ])('of the resource %s is rejected: %j', async (resource, review, causes) => {
    const response = await api.post(`${GROUP}/${resource}`, review);
    expect(response.refusal).toEqual([422, `.authorization.k8s.io "" is invalid: ${causes}`]);
    expect(response.json['details']).not.toHaveProperty('kind');
  });
});

describe('a SelfSubjectRulesReview', () => {
  const rulesReviews = (suffix: string): string => `/apis/authorization.${suffix}/v1/selfsubjectrulesreviews`;

  it.each(['k8s.io', 'platform.io'])('lists the permissions of the user with API groups of %s', async (suffix) => {
    const response = await api.post(rulesReviews(suffix), { spec: { namespace: 'default' } }, { token: ALICE });
    const mayCreate = (group: string, ...resources: string[]) => ({ verbs: ['create'], apiGroups: [`${group}.${suffix}`], resources });
    expect(response.json).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: `authorization.${suffix}/v1`,
      metadata: { creationTimestamp: null },
      spec: {},
      status: {
        resourceRules: [
          mayCreate('authorization', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
          mayCreate('authentication', 'selfsubjectreviews'),
        ],
        nonResourceRules: [
          { verbs: ['get'], nonResourceURLs: DISCOVERY_PATHS },
          { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
        ],
        incomplete: false,
      },
    });
  });

  it('requires a namespace', async () => {
    expect((await api.post(rulesReviews('k8s.io'), {})).refusal).toEqual([400, 'no namespace on request']);
  });

  it('requires authentication', async () => {
    expect((await api.post(rulesReviews('k8s.io'), {}, { token: null })).status).toBe(403);
  });
});
