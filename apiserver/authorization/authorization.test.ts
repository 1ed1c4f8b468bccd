import type { UserInfo } from '../../shared/api/identity/user';
import { resourceAttributes } from '../../test/support/attributes';
import {
  ALL_RULES,
  ALLOW,
  NO_OPINION,
  NO_RULES,
  type Attributes,
  type Authorizer,
  type Decision,
  type ResourceAttributes,
} from './authorizer';
import { inOrder, refusalOf } from './union';

const user: UserInfo = { name: 'u<x>', groups: [] };
const get = (path: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path });
const LEASES = { verb: 'list', group: 'coordination.platform.io', resource: 'leases', namespace: '' };
const resource = (changes: Partial<ResourceAttributes> = {}): Attributes => resourceAttributes({ ...LEASES, ...changes });

const says = (decision: Decision, rules = NO_RULES): Authorizer => ({ authorize: () => decision, rules: () => rules });
const later = (decision: Decision): Authorizer => ({ authorize: () => Promise.resolve(decision), rules: () => NO_RULES });
const passes = (reason: string): Decision => ({ type: 'no-opinion', reason });
const deny: Decision = { type: 'deny', reason: 'never' };

it('refusalOf names the user and the request, and escapes markup', () => {
  const text = (attributes: Attributes, decision = NO_OPINION): string => refusalOf(user, attributes, decision).message;
  expect(text(resource())).toBe(
    'leases.coordination.platform.io is forbidden: User "u&lt;x&gt;" cannot list resource "leases" in API group "coordination.platform.io" at the cluster scope',
  );
  expect(text(resource({ verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' }))).toBe(
    'pods "p" is forbidden: User "u&lt;x&gt;" cannot get resource "pods/log" in API group "" in the namespace "n"',
  );
  expect(text(get('/a&b'), passes('ask'))).toBe('forbidden: User "u&lt;x&gt;" cannot get path "/a&amp;b": ask');
});

it.each([
  ['the first authorizer that allows', [says(passes('a')), says(ALLOW), says(deny)], ALLOW],
  ['the first authorizer that denies', [says(passes('a')), says(deny), says(ALLOW)], { type: 'deny', reason: 'a\nnever' }],
  ['no authorizer, with all reasons', [says(passes('a')), says(NO_OPINION), says(passes('b'))], passes('a\nb')],
  ['no authorizer, one of them asynchronous', [says(passes('a')), later(passes('b')), says(passes('c'))], passes('a\nb\nc')],
  ['an authorizer after an asynchronous one', [later(NO_OPINION), says(ALLOW)], ALLOW],
  ['an asynchronous authorizer that denies', [says(passes('a')), later(deny), says(ALLOW)], { type: 'deny', reason: 'a\nnever' }],
] as const)('union authorizer returns the decision of %s', async (_who, authorizers, decision) => {
  expect(await inOrder(authorizers).authorize(user, resource())).toEqual(decision);
});

it('union authorizer returns a synchronous decision synchronously', () => {
  expect(inOrder([says(NO_OPINION), says(ALLOW), later(deny)]).authorize(user, resource())).toBe(ALLOW);
});

it('union authorizer merges the rules of all authorizers', () => {
  const some = { ...NO_RULES, errors: ['broken'], incomplete: true };
  expect(inOrder([says(ALLOW, ALL_RULES), says(ALLOW, some)]).rules(user, 'n')).toEqual({
    ...ALL_RULES,
    errors: ['broken'],
    incomplete: true,
  });
});
