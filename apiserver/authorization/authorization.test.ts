import type { UserInfo } from '../../shared/api/identity/user';
import type { Attributes } from './authorizer';
import { authorizersFor } from './modes';
import { authorizeRequests, inOrder } from './union';

const builtIn = inOrder(authorizersFor(['BuiltIn']));
const authorize = authorizeRequests(builtIn);
const user = (...groups: string[]): UserInfo => ({ name: 'u<x>', groups });
const get = (path: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path });
const resource = (changes: object = {}): Attributes => ({
  kind: 'resource',
  verb: 'list',
  group: 'coordination.platform.io',
  version: 'v1',
  resource: 'leases',
  subresource: '',
  namespace: '',
  name: '',
  ...changes,
});

it.each([
  ['/version', 'system:unauthenticated', true],
  ['/readyz', 'system:unauthenticated', true],
  ['/readyz/ping', 'system:unauthenticated', false],
  ['/api', 'system:unauthenticated', false],
  ['/apis/x/y', 'system:authenticated', true],
  ['/apisx', 'system:authenticated', false],
  ['/openapi/v3', 'system:authenticated', true],
  ['/metrics', 'system:authenticated', false],
  ['/metrics', 'system:monitoring', true],
  ['/anything', 'system:masters', true],
  ['/openid/v1/jwks', 'system:authenticated', false],
  ['/openid/v1/jwks', 'system:serviceaccounts', true],
])('GET %s by %s: %p', (path, group, allowed) => {
  expect(authorize(user(group), get(path)) === undefined).toBe(allowed);
});

it('lets only masters do anything but get', () => {
  expect(authorize(user('system:authenticated'), get('/api', 'post'))).toBeDefined();
  expect(authorize(user('system:masters'), resource())).toBeUndefined();
});

it('says who may not do what, with markup escaped', () => {
  const text = (attributes: Attributes): string => authorize(user(), attributes)?.message ?? 'allowed';
  expect(text(resource())).toBe(
    'leases.coordination.platform.io is forbidden: User "u&lt;x&gt;" cannot list resource "leases" in API group "coordination.platform.io" at the cluster scope',
  );
  expect(text(resource({ verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' }))).toBe(
    'pods "p" is forbidden: User "u&lt;x&gt;" cannot get resource "pods/log" in API group "" in the namespace "n"',
  );
  expect(text(get('/a&b'))).toBe('forbidden: User "u&lt;x&gt;" cannot get path "/a&amp;b"');
});

it('lets everyone who is known ask about themselves, and nothing more', () => {
  const review = { verb: 'create', group: 'authorization.platform.io', resource: 'selfsubjectaccessreviews' };
  expect(authorize(user('system:authenticated'), resource(review))).toBeUndefined();
  expect(authorize(user('system:unauthenticated'), resource(review))).toBeDefined();
  expect(authorize(user('system:authenticated'), resource({ ...review, subresource: 'x' }))).toBeDefined();
  expect(authorize(user('system:authenticated'), resource({ ...review, verb: 'get' }))).toBeDefined();
  expect(authorize(user('system:authenticated'), resource({ ...review, resource: 'subjectaccessreviews' }))).toBeDefined();
});

it('collects the reasons of those who had no opinion, and the rules of all', () => {
  const chain = inOrder(authorizersFor(['AlwaysDeny', 'BuiltIn', 'AlwaysDeny']));
  const reason = 'Everything is forbidden.';
  expect(chain.authorize(user(), resource())).toEqual({ type: 'no-opinion', reason: `${reason}\n${reason}` });
  expect(chain.authorize(user('system:masters'), resource())).toEqual({ type: 'allow', reason: '' });
  const all = { verbs: ['*'], groups: ['*'], resources: ['*'], names: [] };
  expect(chain.rules(user('system:masters'), 'default').resources).toEqual([all]);
  expect(inOrder(authorizersFor(['AlwaysAllow'])).rules(user(), 'default').resources).toEqual([all]);
  expect(inOrder(authorizersFor(['AlwaysDeny'])).rules(user('system:masters'), 'default')).toEqual({
    resources: [],
    paths: [],
    incomplete: false,
    errors: [],
  });
});
