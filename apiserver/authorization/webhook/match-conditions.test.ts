/** Match conditions of authorization webhooks: their validation and their results, as release 1.31.1 has them. */
import type { UserInfo } from '../../../shared/api/identity/user';
import { resourceAttributes } from '../../../test/support/objects/attributes';
import type { Attributes } from '../authorizer';
import { compileMatchConditions, type MatchConditions, type MatchResult } from './match-conditions';
import { subjectAccessReviewSpec } from './subject-access-review';

/** Compiles valid expressions. */
function compile(...parameters: Parameters<typeof compileMatchConditions>): MatchConditions {
  const compiled = compileMatchConditions(...parameters);
  if ('errors' in compiled) throw new Error(JSON.stringify(compiled.errors));
  return compiled.conditions;
}

describe('match conditions', () => {
  /** Messages with which release 1.31.1 rejects the expressions at start. */
  it.each<[expression: string, reason: string]>([
    ['request', 'must evaluate to bool but got kubernetes.SubjectAccessReviewSpec'],
    ['request.resourceAttributes', 'must evaluate to bool but got kubernetes.ResourceAttributes'],
    ['request.nonResourceAttributes', 'must evaluate to bool but got kubernetes.NonResourceAttributes'],
    ['request.user', 'must evaluate to bool but got string'],
    ['request.groups', 'must evaluate to bool but got list(string)'],
    ['request.extra', 'must evaluate to bool but got map(string, list(string))'],
    ['request.?user', 'must evaluate to bool but got optional_type(string)'],
    ['1', 'must evaluate to bool but got int'],
    ['null', 'must evaluate to bool but got null_type'],
    ['dyn(true)', 'must evaluate to bool but got dyn'],
    ["request.usr == 'a'", "compilation failed: ERROR: <input>:1:8: undefined field 'usr'\n | request.usr == 'a'\n | .......^"],
    ['has(request.usr)', "compilation failed: ERROR: <input>:1:4: undefined field 'usr'\n | has(request.usr)\n | ...^"],
    [
      "request.resourceAttributes.fieldSelector == 'a'",
      "compilation failed: ERROR: <input>:1:27: undefined field 'fieldSelector'\n | request.resourceAttributes.fieldSelector == 'a'\n | ..........................^",
    ],
    [
      'request.user == 1',
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, int)'\n | request.user == 1\n | .............^",
    ],
    [
      'request.groups.all(g, g)',
      "compilation failed: ERROR: <input>:1:23: expected type 'bool' but found 'string'\n | request.groups.all(g, g)\n | ......................^",
    ],
    [
      "object.user == 'a'",
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')\n | object.user == 'a'\n | ^",
    ],
  ])('with %j are rejected', (expression, reason) => {
    expect(compileMatchConditions([expression])).toEqual({
      errors: [{ index: 0, reason: `Invalid value: ${JSON.stringify(expression)}: ${reason}` }],
    });
  });

  it('must be neither blank nor repeated', () => {
    expect(compileMatchConditions(['true', ' ', 'true'])).toEqual({
      errors: [
        { index: 1, reason: 'Required value' },
        { index: 2, reason: 'Duplicate value: "true"' },
      ],
    });
  });

  it('can use selectors only when the AuthorizeWithSelectors feature gate is on', () => {
    const expression = "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && 'b' in r.values)";
    expect(compileMatchConditions([expression])).toHaveProperty('errors');
    const conditions = compile([expression], { hasSelectors: true });
    const selecting = (value: string) => ({
      fieldSelector: { requirements: [{ key: 'a', operator: 'In', values: [value] }] },
    });
    const matchResult = (value: string) =>
      conditions(subjectAccessReviewSpec({ name: 'ann', groups: [] }, resourceAttributes({ selectors: selecting(value) }), 'platform'));
    expect(matchResult('b')).toBe('yes');
    expect(matchResult('c')).toBe('no');
  });

  /**
   * Results of release 1.31.1 for three reviews:
   *
   * - `plain`: a resource without subresource, a user with nothing but a name.
   * - `full`: a resource with subresource and name, a user with all members.
   * - `path`: a path outside the resource API, a user with nothing but a name.
   */
  it.each<[expression: string, plain: MatchResult, full: MatchResult, path: MatchResult]>([
    ['has(request.resourceAttributes)', 'yes', 'yes', 'no'],
    ['has(request.nonResourceAttributes)', 'no', 'no', 'yes'],
    ['has(request.resourceAttributes.subresource)', 'yes', 'yes', 'error'],
    ['has(request.uid)', 'yes', 'yes', 'yes'],
    ['has(request.extra)', 'yes', 'yes', 'yes'],
    ["request.uid == ''", 'yes', 'no', 'yes'],
    ['size(request.extra) == 0', 'yes', 'no', 'yes'],
    ["request.resourceAttributes.subresource == ''", 'yes', 'no', 'error'],
    ["request.resourceAttributes.namespace == 'n'", 'yes', 'yes', 'error'],
    ["'scopes' in request.extra", 'no', 'yes', 'no'],
    ["request.extra.scopes[0] == 'a'", 'error', 'yes', 'error'],
    ["request.groups.exists(g, g == 'devs')", 'no', 'yes', 'no'],
    ["request.nonResourceAttributes.verb == 'get'", 'error', 'error', 'yes'],
    ["request.?uid.orValue('none') == ''", 'yes', 'no', 'yes'],
    ['request.?nonResourceAttributes.hasValue()', 'no', 'no', 'yes'],
    ['request == request', 'yes', 'yes', 'yes'],
  ])('with %j have the results of release 1.31.1', (expression, plain, full, path) => {
    const conditions = compile([expression]);
    const match = (requester: UserInfo, attributes: Attributes): MatchResult =>
      conditions(subjectAccessReviewSpec(requester, attributes, 'platform'));
    const plainUser = { name: 'ann', groups: [] };
    const fullUser = { name: 'ann', uid: '7', groups: ['devs'], extra: { scopes: ['a'] } };
    expect(match(plainUser, resourceAttributes())).toBe(plain);
    expect(match(fullUser, resourceAttributes({ subresource: 'log', name: 'p' }))).toBe(full);
    expect(match(plainUser, { kind: 'path', verb: 'get', path: '/x' })).toBe(path);
  });
});
