import { resourceAttributes } from '../../../test/support/objects/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import type { Attributes } from '../authorizer';
import { rbacAuthorizer } from './authorizer';
import { readBinding } from './binding';
import { explainDecision } from './explain';
import { RbacPolicy } from './policy';
import { readRule } from './rule';

const policy = new RbacPolicy();
const rules: readonly JsonObject[] = [
  { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/log'] },
  { verbs: ['update'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['b', 'a'] },
  { verbs: ['get'], nonResourceURLs: ['/metrics*'] },
];
policy.setRole('', 'r', rules.map(readRule));
const roleRef = { kind: 'ClusterRole', name: 'r' };
policy.setBinding('', 'b', readBinding('', 'b', { roleRef, subjects: [{ kind: 'Group', name: 'g' }] }, GENERATED_NAMES.platform));

it.each<[Attributes, string]>([
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
])('explainDecision of %j reports %s', (attributes, text) =>
  expect(explainDecision(policy, { name: 'u', groups: ['g'] }, attributes)).toBe(text),
);

it('explainDecision reports a user to whom no role is bound', () => {
  expect(explainDecision(policy, { name: 'u', groups: [] }, resourceAttributes())).toBe(
    'no role is bound to user "u" or its groups for the whole cluster or the namespace "n"',
  );
});

it('explainDecision names an allowing rule exactly when the authorizer allows the request', async () => {
  const texts = ['pods', 'pods/', 'pods/log', '*/log', '*', 'nodes/*'];
  for (const text of texts) {
    const singleRulePolicy = new RbacPolicy();
    singleRulePolicy.setRole('', 'r', [readRule({ verbs: ['get'], apiGroups: [''], resources: [text] })]);
    singleRulePolicy.setBinding(
      '',
      'b',
      readBinding('', 'b', { roleRef, subjects: [{ kind: 'Group', name: 'g' }] }, GENERATED_NAMES.platform),
    );
    for (const resource of texts)
      for (const subresource of ['', 'log', '*']) {
        const attributes = resourceAttributes({ resource, subresource });
        const user = { name: 'u', groups: ['g'] };
        const { type } = await rbacAuthorizer(singleRulePolicy).authorize(user, attributes);
        expect([attributes, explainDecision(singleRulePolicy, user, attributes).startsWith('by the rule')]).toEqual([
          attributes,
          type === 'allow',
        ]);
      }
  }
});
