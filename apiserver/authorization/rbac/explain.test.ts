/** Explanations of RBAC decisions, and that they agree with the authorizer. */
import { resourceAttributes } from '../../../test/support/objects/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import type { Attributes } from '../authorizer';
import { rbacAuthorizer } from './authorizer';
import { readBinding } from './binding';
import { explainDecision } from './explain';
import { RbacPolicy } from './policy';
import { readRule } from './rule';

/** A policy that binds the rules to the group `g` for the whole cluster. */
function policyWith(rules: readonly JsonObject[]): RbacPolicy {
  const createdPolicy = new RbacPolicy();
  createdPolicy.setRole('', 'r', rules.map(readRule));
  const binding = { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'Group', name: 'g' }] };
  createdPolicy.setBinding('', 'b', readBinding('', 'b', binding, GENERATED_NAMES.platform));
  return createdPolicy;
}

const USER = { name: 'u', groups: ['g'] };
const policy = policyWith([
  { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/log'] },
  { verbs: ['update'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['b', 'a'] },
  { verbs: ['get'], nonResourceURLs: ['/metrics*'] },
]);

describe('explainDecision', () => {
  it.each<[attributes: Attributes, text: string]>([
    [resourceAttributes(), 'by the rule {APIGroups:[""], Resources:["pods" "*/log"], Verbs:["get" "list"]}'],
    [resourceAttributes({ subresource: 'log' }), 'by the rule {APIGroups:[""], Resources:["pods" "*/log"], Verbs:["get" "list"]}'],
    [resourceAttributes({ verb: 'delete' }), 'of "pods" of the API group "" only these verbs are allowed: get, list'],
    [
      resourceAttributes({ verb: 'update', group: 'apps', resource: 'deployments', name: 'c' }),
      '"update" of "deployments" of the API group "apps" is allowed only for these names: a, b',
    ],
    [resourceAttributes({ group: 'apps' }), 'none of the 3 rules bound to user "u" or its groups matches "pods" of the API group "apps"'],
    [{ kind: 'path', verb: 'get', path: '/metrics/slis' }, 'by the rule {NonResourceURLs:["/metrics*"], Verbs:["get"]}'],
    [{ kind: 'path', verb: 'post', path: '/metrics' }, 'of the path "/metrics" only these verbs are allowed: get'],
  ])('of %j reports %s', (attributes, text) => expect(explainDecision(policy, USER, attributes)).toBe(text));

  it('reports a user to whom no role is bound', () => {
    expect(explainDecision(policy, { name: 'u', groups: [] }, resourceAttributes())).toBe(
      'no role is bound to user "u" or its groups for the whole cluster or the namespace "n"',
    );
  });

  /** Resources of rules and of requests; a request of a SubjectAccessReview may name any text. */
  const RESOURCES = ['pods', 'pods/', 'pods/log', '*/log', '*', 'nodes/*'];
  const REQUESTS = RESOURCES.flatMap((resource) => [
    resourceAttributes({ resource, subresource: '' }),
    resourceAttributes({ resource, subresource: 'log' }),
    resourceAttributes({ resource, subresource: '*' }),
  ]);

  it.each(RESOURCES)('names the rule for %p exactly when the authorizer allows the request', async (ruleResource) => {
    const singleRulePolicy = policyWith([{ verbs: ['get'], apiGroups: [''], resources: [ruleResource] }]);
    for (const attributes of REQUESTS) {
      const explanation = explainDecision(singleRulePolicy, USER, attributes);
      const { type } = await rbacAuthorizer(singleRulePolicy).authorize(USER, attributes);
      // The attributes are compared as well, so that a failure shows them.
      expect({ attributes, namesRule: explanation.startsWith('by the rule') }).toEqual({ attributes, namesRule: type === 'allow' });
    }
  });
});
