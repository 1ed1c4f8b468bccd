import type { MetaV1LabelSelector, RbacV1PolicyRule } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { desiredRules, type ClusterRole } from './reconcile';

const rule = (resource: string): RbacV1PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });

function role(
  name: string,
  rules: RbacV1PolicyRule[],
  more: { readonly labels?: Record<string, string>; readonly selects?: MetaV1LabelSelector[] } = {},
): ClusterRole {
  const { labels = {}, selects } = more;
  return apiObject({
    metadata: { name, labels },
    rules,
    ...(selects === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selects } }),
  });
}

const toEdit = { matchLabels: { edit: 'true' } };
const toView = { matchLabels: { view: 'true' } };
const parts = [
  role('b', [rule('b'), rule('both')], { labels: { edit: 'true' } }),
  role('a', [rule('both'), rule('a')], { labels: { edit: 'true' } }),
  role('c', [rule('c')], { labels: { view: 'true' } }),
  role('d', [rule('d')]),
];

it.each<[string, ClusterRole, readonly RbacV1PolicyRule[] | undefined]>([
  [
    'each rule of the selected roles once, in the order of their names',
    role('e', [], { selects: [toEdit] }),
    [rule('both'), rule('a'), rule('b')],
  ],
  [
    'the rules of roles that any of the selectors matches',
    role('e', [], { selects: [toEdit, toView] }),
    [rule('both'), rule('a'), rule('b'), rule('c')],
  ],
  ['no rules when no role is selected', role('e', [rule('x')], { selects: [{ matchLabels: { no: 'x' } }] }), []],
  ['no change when the rules are up to date', role('e', [rule('c')], { selects: [toView] }), undefined],
  ['no change for a role without an aggregationRule', role('e', [rule('x')]), undefined],
])('desiredRules returns %s', (_title, aggregated, rules) => {
  expect(desiredRules(aggregated, [...parts, aggregated])).toEqual(rules);
});

it('desiredRules does not aggregate a role into itself', () => {
  const aggregated = role('e', [rule('x')], { labels: { edit: 'true' }, selects: [toEdit] });
  expect(desiredRules(aggregated, [aggregated])).toEqual([]);
});
