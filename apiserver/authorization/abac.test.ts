import { resourceAttributes } from '../../test/support/objects/attributes';
import { abacAuthorizer, PolicyFileError } from './abac';
import type { Attributes } from './authorizer';

const VERSION = 'abac.authorization.kubernetes.io/v1beta1';
const line = (spec: object): string => JSON.stringify({ apiVersion: VERSION, kind: 'Policy', spec });
const path = (name: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path: name });

async function isAllowed(spec: object, attributes: Attributes, groups: readonly string[] = ['g']): Promise<boolean> {
  const { type } = await abacAuthorizer('f', `# c\n\n${line(spec)}\n`).authorize({ name: 'u', groups }, attributes);
  return type === 'allow';
}

const ALL = { namespace: '*', resource: '*', apiGroup: '*' };

it.each<[boolean, object, Attributes]>([
  [true, { user: 'u', ...ALL }, resourceAttributes()],
  [true, { user: '*', ...ALL }, resourceAttributes({ verb: 'delete', subresource: 'status' })],
  [false, { user: 'v', ...ALL }, resourceAttributes()],
  [true, { group: 'g', ...ALL }, resourceAttributes()],
  [false, { group: 'h', ...ALL }, resourceAttributes()],
  [false, { user: 'u', group: 'h', ...ALL }, resourceAttributes()],
  [true, { user: 'u', group: 'g', ...ALL }, resourceAttributes()],
  [false, ALL, resourceAttributes()],
  [true, { user: 'u', readonly: true, ...ALL }, resourceAttributes({ verb: 'watch' })],
  [false, { user: 'u', readonly: true, ...ALL }, resourceAttributes({ verb: 'create' })],
  [false, { user: 'u', namespace: 'm', resource: '*', apiGroup: '*' }, resourceAttributes()],
  [false, { user: 'u', namespace: '*', resource: 'secrets', apiGroup: '*' }, resourceAttributes()],
  [false, { user: 'u', namespace: '*', resource: '*' }, resourceAttributes({ group: 'apps' })],
  [true, { user: 'u', ...ALL, apiGroup: 'events.k8s.io' }, resourceAttributes({ group: 'events.platform.io' })],
  [false, { user: 'u', ...ALL }, path('/version')],
  [true, { user: 'u', nonResourcePath: '/version' }, path('/version')],
  [false, { user: 'u', nonResourcePath: '/version' }, path('/versions')],
  [true, { user: 'u', nonResourcePath: '/api*' }, path('/apis/x')],
  [true, { user: 'u', nonResourcePath: '*' }, path('/x', 'post')],
  [false, { user: 'u', nonResourcePath: '*', readonly: true }, path('/x', 'post')],
  [false, { user: 'u', nonResourcePath: '*' }, resourceAttributes()],
])('ABAC authorizer gives %p for the policy %j and the request %j', async (allowed, spec, attributes) =>
  expect(await isAllowed(spec, attributes)).toBe(allowed),
);

it.each([
  ['{', 'f, line 2: not valid JSON'],
  ['[]', 'f, line 2: not an object'],
  ['{"kind":"Policy","apiVersion":"x/v1"}', 'f, line 2: must have kind Policy and apiVersion abac.authorization.platform.io/v1beta1'],
  [JSON.stringify({ apiVersion: VERSION, kind: 'Policy' }), 'f, line 2: spec is missing'],
  [line({ users: 'x' }), 'f, line 2: unknown field spec.users'],
  [line({ readonly: 'yes' }), 'f, line 2: spec.readonly is of the wrong type'],
])('ABAC authorizer rejects the policy line %s: %s', (text, message) => {
  expect(() => abacAuthorizer('f', `${line({ user: 'x' })}\n${text}`)).toThrow(new PolicyFileError(message));
});

it('ABAC authorizer reports that no policy matched, and lists the rules of a user', async () => {
  const abac = abacAuthorizer('f', `${line({ user: 'u', readonly: true, ...ALL })}\n${line({ user: 'u', nonResourcePath: '/x' })}`);
  expect(await abac.authorize({ name: 'v', groups: [] }, resourceAttributes())).toEqual({
    type: 'no-opinion',
    reason: 'No policy matched.',
  });
  expect(abac.rules({ name: 'u', groups: [] }, 'n')).toMatchObject({
    resources: [{ verbs: ['get', 'list', 'watch'], groups: ['*'], resources: ['*'] }],
    paths: [{ verbs: ['*'], paths: ['/x'] }],
  });
});
