/**
 * Records what the reference server answers to those who act as others and to those who give away what they do not have, step by step:
 *   node deploy/scripts/run.mjs test/replay/access-steps.js
 * The reference has a user `alice` (token plaintoken) whom nothing is bound to. Everything that is stored for it is deleted.
 * test/integration/http/recorded-access.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Body, type Json } from './reference';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const PREFIX = 'rec-access';

interface Step {
  /** Who asks: the administrator, or alice. */
  readonly by: 'admin' | 'alice';
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Body;
}

const rule = (verbs: string[], resources: string[], apiGroups: string[] = [''], resourceNames?: string[]): Body => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const paths = (verbs: string[], nonResourceURLs: string[]): Body => ({ verbs, nonResourceURLs });
const named = (name: string, more: Body = {}): Body => ({ metadata: { name: `${PREFIX}-${name}` }, ...more });
const role = (name: string, ...rules: Body[]): Body => named(name, { rules });
const user = (name: string): Body => ({ kind: 'User', apiGroup: GROUP, name });
const binding = (name: string, to: string, subjects: Body[] = [user('someone')], kind = 'ClusterRole'): Body =>
  named(name, { roleRef: { apiGroup: GROUP, kind, name: `${PREFIX}-${to}` }, subjects });

const admin = (method: string, path: string, body?: Body): Step => ({ by: 'admin', method, path, ...(body === undefined ? {} : { body }) });
/** The administrator as somebody else. */
const as = (name: string, method: string, path: string, body?: Body, type?: string): Step => ({
  ...admin(method, path, body),
  headers: { 'impersonate-user': name, ...(type === undefined ? {} : { 'content-type': type }) },
});
const create = (name: string, kind: string, body: Body): Step => as(name, 'POST', `${RBAC}/${kind}`, body);

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const IN_DEFAULT = 'namespaces/default';
const ROLES = `${RBAC}/clusterroles`;
const BINDINGS = `${RBAC}/clusterrolebindings`;

/** Who is allowed what, to begin with. */
const GIVEN: readonly Step[] = [
  admin('POST', ROLES, role('writer', rule(['*'], ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'], [GROUP], ['unused']))),
  admin(
    'PUT',
    `${ROLES}/${PREFIX}-writer`,
    role(
      'writer',
      rule(
        ['get', 'list', 'create', 'update', 'patch', 'delete'],
        ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
        [GROUP],
      ),
    ),
  ),
  admin('POST', ROLES, role('reader', rule(['get', 'list'], ['pods', 'pods/log']), paths(['get'], ['/metrics', '/x/*']))),
  admin('POST', ROLES, role('strong', rule(['*'], ['*'], ['*']), paths(['*'], ['*']))),
  admin('POST', ROLES, role('escalates', rule(['escalate'], ['clusterroles'], [GROUP], [`${PREFIX}-e1`]))),
  admin('POST', ROLES, role('binds', rule(['bind'], ['clusterroles'], [GROUP], [`${PREFIX}-strong`]))),
  ...['writer', 'reader'].map((to) => admin('POST', BINDINGS, binding(`both-${to}`, to, ['ann', 'eve', 'bea', 'lost'].map(user)))),
  admin('POST', BINDINGS, binding('eve', 'escalates', [user('eve')])),
  admin('POST', BINDINGS, binding('bea', 'binds', [user('bea')])),
  admin('POST', BINDINGS, binding('lost', 'missing', [user('lost')])),
  admin('POST', BINDINGS, binding('lost-too', 'missing-too', [user('lost')])),
  admin('POST', `${RBAC}/${IN_DEFAULT}/roles`, role('local', rule(['get'], ['secrets']))),
  admin('POST', `${RBAC}/${IN_DEFAULT}/rolebindings`, binding('local-ann', 'local', [user('ann')], 'Role')),
];

const GIVING: readonly Step[] = [
  create('ann', 'clusterroles', role('held', rule(['get'], ['pods']))),
  create('ann', 'clusterroles', role('held-path', paths(['get'], ['/metrics', '/x/y', '/x/*']))),
  create('ann', 'clusterroles', role('not-held', rule(['get'], ['secrets']))),
  create(
    'ann',
    'clusterroles',
    role('not-held', rule(['get', 'delete'], ['pods', 'secrets'], ['', 'apps']), paths(['get', 'post'], ['/y'])),
  ),
  create(
    'ann',
    'clusterroles',
    role('not-held', rule(['get'], ['pods/exec', 'pods'], [''], ['a', 'b']), rule(['get'], ['secrets'], [''], ['a'])),
  ),
  create('ann', 'clusterroles', role('not-held', rule(['*'], ['*'], ['*']))),
  create(
    'ann',
    'clusterroles',
    role('not-held', rule(['get'], ['secrets']), rule(['get'], ['secrets']), rule(['list'], ['secrets', 'nodes'])),
  ),
  create('ann', 'clusterroles', role('not-held', rule([], ['secrets']))),
  create('ann', 'clusterroles', named('Bad_name%', { rules: [rule(['get'], ['secrets'])] })),
  create('ann', 'clusterroles', named('aggregates', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } })),
  create('ann', 'clusterroles?dryRun=All', role('not-held', rule(['get'], ['secrets']))),
  create('ann', `${IN_DEFAULT}/roles`, role('from-local', rule(['get'], ['secrets']))),
  create('ann', 'namespaces/kube-public/roles', role('from-local', rule(['get'], ['secrets']))),
  create('lost', 'clusterroles', role('not-held', rule(['get'], ['secrets']))),
  create('lost', `${IN_DEFAULT}/roles`, role('not-held', rule(['get'], ['secrets']))),
  create('nobody', 'clusterroles', role('not-held', rule(['get'], ['secrets']))),
  create('eve', 'clusterroles', role('e1', rule(['get'], ['secrets']))),
  create('eve', 'clusterroles', role('e2', rule(['get'], ['secrets']))),
  as('eve', 'PUT', `${ROLES}/${PREFIX}-e2`, role('e2', rule(['get'], ['secrets']))),
  as('eve', 'PUT', `${ROLES}/${PREFIX}-e1`, role('e1', rule(['get'], ['secrets']))),
  as('eve', 'PUT', `${ROLES}/${PREFIX}-e1`, role('e1', rule(['get', 'list'], ['secrets']))),
  admin('DELETE', `${ROLES}/${PREFIX}-e1`),
  as(
    'eve',
    'PATCH',
    `${ROLES}/${PREFIX}-e1?fieldManager=m`,
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', ...role('e1', rule(['get'], ['secrets'])) },
    APPLY,
  ),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-held`, { metadata: { labels: { a: 'b' } } }, MERGE),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-held`, { rules: [rule(['get', 'watch'], ['pods'])] }, MERGE),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-strong`, { metadata: { labels: { a: 'b' } } }, MERGE),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-strong?dryRun=All`, { rules: [rule(['get'], ['pods'])] }, MERGE),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-strong?dryRun=All`, { rules: [rule(['*'], ['*'], ['*'])] }, MERGE),
  as('ann', 'PATCH', `${ROLES}/${PREFIX}-held`, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }, MERGE),
  as('ann', 'PUT', `${ROLES}/${PREFIX}-held`, role('held', rule(['get'], ['nodes']))),
  as('ann', 'PUT', `${ROLES}/${PREFIX}-absent`, role('absent', rule(['get'], ['nodes']))),
  as(
    'ann',
    'PATCH',
    `${ROLES}/${PREFIX}-applied?fieldManager=m`,
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', ...role('applied', rule(['get'], ['nodes'])) },
    APPLY,
  ),
  as(
    'ann',
    'PATCH',
    `${ROLES}/${PREFIX}-applied?fieldManager=m`,
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', ...role('applied', rule(['get'], ['pods'])) },
    APPLY,
  ),
  as(
    'ann',
    'PATCH',
    `${ROLES}/${PREFIX}-applied?fieldManager=m`,
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', ...role('applied', rule(['get'], ['nodes'])) },
    APPLY,
  ),
  create('ann', 'clusterrolebindings', binding('b-held', 'reader')),
  create('ann', 'clusterrolebindings', binding('b-strong', 'strong')),
  create('ann', 'clusterrolebindings', binding('b-missing', 'missing')),
  create('ann', 'clusterrolebindings', binding('b-strong', 'strong', [])),
  create('ann', 'clusterrolebindings', binding('b-local', 'local', [user('x')], 'Role')),
  create('ann', `${IN_DEFAULT}/rolebindings`, binding('b-held', 'reader')),
  create('ann', `${IN_DEFAULT}/rolebindings`, binding('b-strong', 'strong')),
  create('ann', `${IN_DEFAULT}/rolebindings`, binding('b-local', 'local', [user('x')], 'Role')),
  create('ann', `${IN_DEFAULT}/rolebindings`, binding('b-missing', 'missing', [user('x')], 'Role')),
  create('ann', `${IN_DEFAULT}/rolebindings`, binding('b-kind', 'missing', [user('x')], 'Thing')),
  create('bea', 'clusterrolebindings', binding('b-bea', 'strong')),
  create('bea', `${IN_DEFAULT}/rolebindings`, binding('b-bea', 'strong')),
  create('bea', `${IN_DEFAULT}/rolebindings`, binding('b-bea-local', 'local', [user('x')], 'Role')),
  as('ann', 'PATCH', `${BINDINGS}/${PREFIX}-b-bea`, { metadata: { labels: { a: 'b' } } }, MERGE),
  as('ann', 'PATCH', `${BINDINGS}/${PREFIX}-b-bea`, { subjects: [user('other')] }, MERGE),
  as('bea', 'PATCH', `${BINDINGS}/${PREFIX}-b-bea`, { subjects: [user('other')] }, MERGE),
  as('ann', 'PATCH', `${BINDINGS}/${PREFIX}-b-held`, { subjects: [user('other')] }, MERGE),
  as('ann', 'DELETE', `${BINDINGS}/${PREFIX}-b-bea`),
];

const SELECTORS: Body = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };

/** Escalation checks that compare rules with rules, and the removal of an aggregationRule. */
const COMPARING: readonly Step[] = [
  admin('POST', ROLES, role('own', rule(['get'], ['secrets'], [''], ['']), rule(['get'], ['*/log', '*/']))),
  admin('POST', ROLES, named('gathers', { rules: [], ...SELECTORS })),
  ...['own', 'writer'].map((to) => admin('POST', BINDINGS, binding(`nia-${to}`, to, [user('nia')]))),
  create('nia', 'clusterroles', role('by-nia', rule(['get'], ['secrets']))),
  create('nia', 'clusterroles', role('by-nia', rule(['get'], ['secrets'], [''], ['', 'x']))),
  create('nia', 'clusterroles?dryRun=All', role('by-nia', rule(['get'], ['secrets'], [''], ['']))),
  create('nia', 'clusterroles?dryRun=All', role('by-nia', rule(['get'], ['pods/log', '*/log']))),
  create('nia', 'clusterroles', role('by-nia', rule(['get'], ['pods/log/x', 'pods']))),
  as('nia', 'PATCH', `${ROLES}/${PREFIX}-gathers?dryRun=All`, { aggregationRule: null }, MERGE),
  as('nia', 'PATCH', `${ROLES}/${PREFIX}-gathers?dryRun=All`, { metadata: { labels: { c: 'd' } } }, MERGE),
  as('nia', 'PATCH', `${ROLES}/${PREFIX}-gathers?dryRun=All`, { metadata: { finalizers: ['a.test/b'] } }, MERGE),
];

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const review = (resource: string, subresource: string): Step =>
  admin('POST', REVIEWS, {
    spec: { user: 'sue', resourceAttributes: { verb: 'get', resource, ...(subresource === '' ? {} : { subresource }) } },
  });

/** SubjectAccessReviews whose resource contains a slash, against rules that contain one. */
const REVIEWING: readonly Step[] = [
  admin('POST', ROLES, role('slashes', rule(['get'], ['things/status', '*/log', 'nodes/*', 'pods/', '*/x/y']))),
  admin('POST', BINDINGS, binding('slashes', 'slashes', [user('sue')])),
  ...['things', 'things/status', 'things/', 'pods', 'pods/', 'pods/log', '*/log', 'nodes/*', 'nodes', '*'].flatMap((resource) =>
    ['', 'status', 'log', '*', 'x/y'].map((subresource) => review(resource, subresource)),
  ),
];

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const who = (by: Step['by'], headers: Readonly<Record<string, string | string[]>>): Step => ({
  by,
  method: 'POST',
  path: WHO,
  headers,
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
});
const U = 'impersonate-user';
const G = 'impersonate-group';
const X = 'impersonate-extra-';
const ID = 'impersonate-uid';

const ACTING: readonly Step[] = [
  who('admin', {}),
  who('admin', { [U]: 'bob' }),
  who('admin', { [U]: 'bob', [G]: 'g' }),
  who('admin', { [U]: 'bob', [G]: ['g', 'h', 'g'] }),
  who('admin', { [U]: 'bob', [G]: 'system:authenticated' }),
  who('admin', { [U]: 'bob', [G]: 'system:unauthenticated' }),
  who('admin', { [U]: 'bob', [G]: 'system:masters' }),
  who('admin', { [U]: 'bob', [G]: '' }),
  who('admin', { [U]: 'bob', [ID]: 'id-1' }),
  who('admin', { [U]: 'bob', [`${X}scopes`]: ['view', 'edit'], [`${X}Other.Key`]: 'v', [`${X}a%2fb%20c`]: 'v%2f' }),
  who('admin', { [U]: 'bob', [`${X}a%zz`]: 'v' }),
  who('admin', { [U]: 'bob', [X]: 'v' }),
  who('admin', { [U]: 'bob', [`${X}empty`]: '' }),
  who('admin', { [U]: '' }),
  who('admin', { [U]: 'system:anonymous' }),
  who('admin', { [U]: 'system:anonymous', [G]: 'g' }),
  who('admin', { [U]: 'system:serviceaccount:default:sa' }),
  who('admin', { [U]: 'system:serviceaccount:default:sa', [G]: 'g' }),
  who('admin', { [U]: 'system:serviceaccount:default' }),
  who('admin', { [U]: 'system:serviceaccount:default:sa:x' }),
  who('admin', { [U]: 'system:serviceaccount:Bad_:sa' }),
  who('admin', { [U]: 'system:node:n1', [G]: 'system:nodes' }),
  who('admin', { [U]: 'b%20b é' }),
  who('admin', { [G]: 'g' }),
  who('admin', { [G]: ['g', 'h'] }),
  who('admin', { [ID]: 'x' }),
  who('admin', { [`${X}a`]: 'x' }),
  who('admin', { [`${X}a`]: 'x', [G]: 'g', [ID]: 'x' }),
  who('admin', { 'impersonate-nonsense': 'x' }),
  { by: 'admin', method: 'GET', path: '/metrics', headers: { [U]: 'bob' } },
  { by: 'admin', method: 'GET', path: '/api/v1/namespaces/default/secrets/x', headers: { [U]: 'bob' } },
  { by: 'admin', method: 'GET', path: '/healthz', headers: { [G]: 'bob' } },
  who('alice', { [U]: 'bob' }),
  who('alice', { [U]: 'alice' }),
  who('alice', { [U]: 'system:serviceaccount:default:sa' }),
  who('alice', { [U]: 'system:serviceaccount:default:sa', [G]: 'g' }),
  who('alice', { [G]: 'g' }),
  { by: 'alice', method: 'GET', path: '/healthz', headers: { [U]: 'bob' } },
  { by: 'alice', method: 'GET', path: '/nonsense', headers: { [U]: 'bob' } },
  admin(
    'POST',
    ROLES,
    role(
      'acts',
      rule(['impersonate'], ['users'], [''], ['bob']),
      rule(['impersonate'], ['groups'], [''], ['g']),
      rule(['impersonate'], ['serviceaccounts'], [''], ['sa']),
      rule(['impersonate'], ['userextras/scopes'], ['authentication.k8s.io'], ['view']),
      rule(['impersonate'], ['uids'], ['authentication.k8s.io'], ['id-1']),
    ),
  ),
  admin('POST', BINDINGS, binding('acts', 'acts', [user('alice')])),
  who('alice', { [U]: 'bob' }),
  who('alice', { [U]: 'rob' }),
  who('alice', { [U]: 'bob', [G]: 'g' }),
  who('alice', { [U]: 'bob', [G]: ['g', 'h'] }),
  who('alice', { [U]: 'bob', [`${X}scopes`]: 'view' }),
  who('alice', { [U]: 'bob', [`${X}Scopes`]: ['view', 'vv'] }),
  who('alice', { [U]: 'bob', [`${X}foo`]: 'view' }),
  who('alice', { [U]: 'bob', [`${X}a%2fb`]: 'view' }),
  who('alice', { [U]: 'bob', [ID]: 'id-1' }),
  who('alice', { [U]: 'bob', [ID]: 'id-2' }),
  who('alice', { [U]: 'bob', [G]: 'h', [`${X}foo`]: 'v', [ID]: 'id-2' }),
  who('alice', { [U]: 'system:serviceaccount:default:sa' }),
  who('alice', { [U]: 'system:serviceaccount:default:other' }),
];

async function take(step: Step): Promise<Json> {
  const { by, method, path, headers = {}, body } = step;
  const token = by === 'admin' ? 'admintoken' : 'plaintoken';
  const { code, bytes } = await ask(
    method,
    path,
    { 'content-type': 'application/json', ...headers, authorization: `Bearer ${token}` },
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );
  return { ...step, answer: answerOf(code, bytes.toString()) };
}

/** Of a Status its message, of a review what it says; other texts as they are. */
function answerOf(code: number, answer: string): Body {
  if (!answer.startsWith('{')) return { code, text: code === 200 ? '' : answer };
  const { kind, message = null, status = null } = JSON.parse(answer) as Body;
  if (kind === 'Status') return { code, message: code < 400 ? null : message };
  if (kind === 'SubjectAccessReview') return { code, allowed: isBody(status) ? (status['allowed'] ?? null) : null };
  return kind === 'SelfSubjectReview' ? { code, status } : { code };
}

async function main(): Promise<void> {
  const lines: Json[] = [];
  try {
    for (const step of [...GIVEN, ...GIVING, ...ACTING, ...COMPARING, ...REVIEWING]) {
      lines.push(await take(step));
      // The reference decides with what it has seen.
      if (step.by === 'admin' && step.method !== 'GET' && step.headers === undefined && step.path !== REVIEWS)
        await new Promise((resolve) => setTimeout(resolve, 300));
    }
  } finally {
    for (const place of ['', `${IN_DEFAULT}/`, 'namespaces/kube-public/'])
      for (const kind of place === '' ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings']) {
        const { bytes } = await ask('GET', `${RBAC}/${place}${kind}`, { authorization: 'Bearer admintoken' });
        const { items } = JSON.parse(bytes.toString()) as { items: { metadata: { name: string } }[] };
        for (const { metadata } of items)
          if (metadata.name.startsWith(PREFIX)) await ask('DELETE', `${RBAC}/${place}${kind}/${metadata.name}`);
      }
    hangUp();
  }
  writeRecording('rbac/access-steps', lines);
}

void main();
