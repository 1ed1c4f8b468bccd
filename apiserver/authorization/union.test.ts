/** The combination of several authorizers: order, reasons and rules. */
import type { UserInfo } from '../../shared/api/identity/user';
import { resourceAttributes } from '../../test/support/objects/attributes';
import { ALL_RULES, ALLOW, NO_OPINION, NO_RULES, type Attributes, type Authorizer, type Decision } from './authorizer';
import { unionAuthorizer, forbiddenError } from './union';

const user: UserInfo = { name: 'u<x>', groups: [] };
const listLeases = resourceAttributes({ verb: 'list', group: 'coordination.platform.io', resource: 'leases', namespace: '' });

/** Decides immediately. */
const authorizerDeciding = (decision: Decision, rules = NO_RULES): Authorizer => ({ authorize: () => decision, rules: () => rules });
/** Decides asynchronously. */
const authorizerDecidingLater = (decision: Decision): Authorizer => ({ authorize: () => Promise.resolve(decision), rules: () => NO_RULES });
const noOpinion = (reason: string): Decision => ({ type: 'no-opinion', reason });
const deny: Decision = { type: 'deny', reason: 'never' };

it.each<[attributes: Attributes, decision: Decision, message: string]>([
  [
    listLeases,
    NO_OPINION,
    'leases.coordination.platform.io is forbidden: User "u&lt;x&gt;" cannot list resource "leases" in API group "coordination.platform.io" at the cluster scope',
  ],
  [
    resourceAttributes({ resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' }),
    NO_OPINION,
    'pods "p" is forbidden: User "u&lt;x&gt;" cannot get resource "pods/log" in API group "" in the namespace "n"',
  ],
  [{ kind: 'path', verb: 'get', path: '/a&b' }, noOpinion('ask'), 'forbidden: User "u&lt;x&gt;" cannot get path "/a&amp;b": ask'],
])('forbiddenError for %j and the decision %j is %s', (attributes, decision, message) => {
  expect(forbiddenError(user, attributes, decision).message).toBe(message);
});

describe('union authorizer', () => {
  it.each([
    [
      'allows when the first authorizer with an opinion allows',
      [authorizerDeciding(noOpinion('a')), authorizerDeciding(ALLOW), authorizerDeciding(deny)],
      ALLOW,
    ],
    [
      'denies when the first authorizer with an opinion denies',
      [authorizerDeciding(noOpinion('a')), authorizerDeciding(deny), authorizerDeciding(ALLOW)],
      { type: 'deny', reason: 'a\nnever' },
    ],
    [
      'has no opinion when no authorizer has one, and joins their reasons',
      [authorizerDeciding(noOpinion('a')), authorizerDeciding(NO_OPINION), authorizerDeciding(noOpinion('b'))],
      noOpinion('a\nb'),
    ],
    [
      'has no opinion when no authorizer has one and one is asynchronous',
      [authorizerDeciding(noOpinion('a')), authorizerDecidingLater(noOpinion('b')), authorizerDeciding(noOpinion('c'))],
      noOpinion('a\nb\nc'),
    ],
    ['allows when an authorizer after an asynchronous one allows', [authorizerDecidingLater(NO_OPINION), authorizerDeciding(ALLOW)], ALLOW],
    [
      'denies when an asynchronous authorizer denies',
      [authorizerDeciding(noOpinion('a')), authorizerDecidingLater(deny), authorizerDeciding(ALLOW)],
      { type: 'deny', reason: 'a\nnever' },
    ],
  ] as const)('%s', async (_title, authorizers, decision) => {
    expect(await unionAuthorizer(authorizers).authorize(user, listLeases)).toEqual(decision);
  });

  it('returns a synchronous decision synchronously', () => {
    const union = unionAuthorizer([authorizerDeciding(NO_OPINION), authorizerDeciding(ALLOW), authorizerDecidingLater(deny)]);
    expect(union.authorize(user, listLeases)).toBe(ALLOW);
  });

  it('merges the rules of all authorizers', () => {
    const incompleteRules = { ...NO_RULES, errors: ['broken'], isIncomplete: true };
    const union = unionAuthorizer([authorizerDeciding(ALLOW, ALL_RULES), authorizerDeciding(ALLOW, incompleteRules)]);
    expect(union.rules(user, 'n')).toEqual({
      ...ALL_RULES,
      errors: ['broken'],
      isIncomplete: true,
    });
  });
});
