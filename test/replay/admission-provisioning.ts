/** What is asked of the plug-in that makes namespaces: who makes one, when, and what is left when the object is refused. */
import type { AdmissionStep, AdmissionSuite } from './admission-steps';
import type { Body } from './reference';

const NAMESPACES = '/api/v1/namespaces';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AT = 'namespace-auto-provision';

const post = (path: string, body: Body): AdmissionStep => ({ method: 'POST', path, body });
const named = (name: string, more: Body = {}): Body => ({ metadata: { name }, ...more });
const namespace = (name: string): string => `${NAMESPACES}/rec-made-${name}`;
const map = (name: string, more: Body = {}): Body => ({ apiVersion: 'v1', kind: 'ConfigMap', ...named(name, more) });
const create = (at: string, query = '', body = map('a')): AdmissionStep => post(`${namespace(at)}/configmaps${query}`, body);
const change = (method: string, path: string, body: Body, type: string): AdmissionStep => ({ method, path, body, type });

/** By the namespace that does not exist, what is asked in it. */
const TRIES: Readonly<Record<string, readonly AdmissionStep[]>> = {
  created: [create('created'), create('created')],
  dry: [create('dry', '?dryRun=All')],
  nameless: [create('nameless', '', map('x', { metadata: {} }))],
  invalid: [create('invalid', '', map('_'))],
  unknown: [create('unknown', '?fieldValidation=Strict', map('x', { more: 1 }))],
  elsewhere: [create('elsewhere', '', map('x', { metadata: { name: 'x', namespace: 'other' } }))],
  put: [change('PUT', `${namespace('put')}/configmaps/x`, map('x'), 'application/json')],
  'put-creates': [change('PUT', `${namespace('put-creates')}/endpoints/x`, named('x'), 'application/json')],
  applied: [change('PATCH', `${namespace('applied')}/configmaps/x?fieldManager=m`, map('x'), 'application/apply-patch+yaml')],
  patched: [change('PATCH', `${namespace('patched')}/configmaps/x`, { data: { a: 'b' } }, 'application/merge-patch+json')],
  deleted: [{ method: 'DELETE', path: `${namespace('deleted')}/configmaps/x` }],
  emptied: [{ method: 'DELETE', path: `${namespace('emptied')}/configmaps` }],
  bound: [post(`${namespace('bound')}/pods/x/binding`, named('x', { target: { name: 'n' } }))],
  evicted: [post(`${namespace('evicted')}/pods/x/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', ...named('x') })],
  token: [post(`${namespace('token')}/serviceaccounts/x/token`, { spec: {} })],
  executed: [{ method: 'POST', path: `${namespace('executed')}/pods/x/exec?command=a` }],
  reviewed: [
    post('/apis/authorization.k8s.io/v1/namespaces/rec-made-reviewed/localsubjectaccessreviews', {
      metadata: { namespace: 'rec-made-reviewed' },
      spec: { user: 'a', resourceAttributes: { namespace: 'rec-made-reviewed', verb: 'get', resource: 'pods' } },
    }),
  ],
  accountless: [post(`${namespace('accountless')}/pods`, named('p', { spec: { containers: [{ name: 'c', image: 'i' }] } }))],
  'not-allowed': [{ ...create('not-allowed'), as: 'nobody-in-particular' }],
  allowed: [
    post(`${RBAC}/clusterroles`, {
      metadata: { name: 'rec-makes-maps' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
    }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'rec-makes-maps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rec-makes-maps' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'makes-maps' }],
    }),
    { ...create('allowed'), as: 'makes-maps' },
  ],
};

export function provisioning(): AdmissionSuite {
  return {
    steps: [
      post(NAMESPACES, named(`rec-${AT}`)),
      ...Object.entries(TRIES).flatMap(([name, steps]): readonly AdmissionStep[] => [...steps, { method: 'GET', path: namespace(name) }]),
      create('Not_A_Name'),
      { method: 'DELETE', path: namespace('created') },
      create('created', '', map('b')),
    ],
    leaves: [
      ...Object.keys(TRIES).map(namespace),
      ...['clusterroles', 'clusterrolebindings'].map((kind) => `${RBAC}/${kind}/rec-makes-maps`),
    ],
  };
}
