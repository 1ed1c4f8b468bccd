import { abacAuthorizer, PolicyFileError } from './abac';
import type { Attributes } from './authorizer';

const VERSION = 'abac.authorization.kubernetes.io/v1beta1';
const line = (spec: object): string => JSON.stringify({ apiVersion: VERSION, kind: 'Policy', spec });
const resource = (changes: object = {}): Attributes => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'n',
  name: '',
  ...changes,
});
const path = (name: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path: name });

async function isAllowed(spec: object, attributes: Attributes, groups: readonly string[] = ['g']): Promise<boolean> {
  const { type } = await abacAuthorizer('f', `# c\n\n${line(spec)}\n`).authorize({ name: 'u', groups }, attributes);
  return type === 'allow';
}

const ALL = { namespace: '*', resource: '*', apiGroup: '*' };

it.each<[boolean, object, Attributes]>([
  [true, { user: 'u', ...ALL }, resource()],
  [true, { user: '*', ...ALL }, resource({ verb: 'delete', subresource: 'status' })],
  [false, { user: 'v', ...ALL }, resource()],
  [true, { group: 'g', ...ALL }, resource()],
  [false, { group: 'h', ...ALL }, resource()],
  [false, { user: 'u', group: 'h', ...ALL }, resource()],
  [true, { user: 'u', group: 'g', ...ALL }, resource()],
  [false, ALL, resource()],
  [true, { user: 'u', readonly: true, ...ALL }, resource({ verb: 'watch' })],
  [false, { user: 'u', readonly: true, ...ALL }, resource({ verb: 'create' })],
  [false, { user: 'u', namespace: 'm', resource: '*', apiGroup: '*' }, resource()],
  [false, { user: 'u', namespace: '*', resource: 'secrets', apiGroup: '*' }, resource()],
  [false, { user: 'u', namespace: '*', resource: '*' }, resource({ group: 'apps' })],
  [true, { user: 'u', ...ALL, apiGroup: 'events.k8s.io' }, resource({ group: 'events.platform.io' })],
  [false, { user: 'u', ...ALL }, path('/version')],
  [true, { user: 'u', nonResourcePath: '/version' }, path('/version')],
  [false, { user: 'u', nonResourcePath: '/version' }, path('/versions')],
  [true, { user: 'u', nonResourcePath: '/api*' }, path('/apis/x')],
  [true, { user: 'u', nonResourcePath: '*' }, path('/x', 'post')],
  [false, { user: 'u', nonResourcePath: '*', readonly: true }, path('/x', 'post')],
  [false, { user: 'u', nonResourcePath: '*' }, resource()],
])('%p: %j for %j', async (allowed, spec, attributes) => expect(await isAllowed(spec, attributes)).toBe(allowed));

it.each([
  ['{', 'f, line 2: this is not JSON'],
  ['[]', 'f, line 2: this is no object'],
  ['{"kind":"Policy","apiVersion":"x/v1"}', 'f, line 2: kind Policy of abac.authorization.platform.io/v1beta1 is wanted'],
  [JSON.stringify({ apiVersion: VERSION, kind: 'Policy' }), 'f, line 2: spec is missing'],
  [line({ users: 'x' }), 'f, line 2: there is no spec.users'],
  [line({ readonly: 'yes' }), 'f, line 2: spec.readonly is of the wrong type'],
])('refuses %s', (text, message) => {
  expect(() => abacAuthorizer('f', `${line({ user: 'x' })}\n${text}`)).toThrow(new PolicyFileError(message));
});

it('says that nothing matched, and what a user may do', async () => {
  const abac = abacAuthorizer('f', `${line({ user: 'u', readonly: true, ...ALL })}\n${line({ user: 'u', nonResourcePath: '/x' })}`);
  expect(await abac.authorize({ name: 'v', groups: [] }, resource())).toEqual({ type: 'no-opinion', reason: 'No policy matched.' });
  expect(abac.rules({ name: 'u', groups: [] }, 'n')).toMatchObject({
    resources: [{ verbs: ['get', 'list', 'watch'], groups: ['*'], resources: ['*'] }],
    paths: [{ verbs: ['*'], paths: ['/x'] }],
  });
});
