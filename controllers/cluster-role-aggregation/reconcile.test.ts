import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { missingRules } from './reconcile';

const rule = (resource: string): JsonObject => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });

function role(name: string, rules: JsonObject[], more: { readonly labels?: JsonObject; readonly selects?: JsonObject[] } = {}): ApiObject {
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

it.each<[string, ApiObject, readonly JsonObject[] | undefined]>([
  ['what it selects, by name, each rule once', role('e', [], { selects: [toEdit] }), [rule('both'), rule('a'), rule('b')]],
  ['what any of its selectors selects', role('e', [], { selects: [toEdit, toView] }), [rule('both'), rule('a'), rule('b'), rule('c')]],
  ['nothing where nothing is selected, whatever it had', role('e', [rule('x')], { selects: [{ matchLabels: { no: 'x' } }] }), []],
  ['what it has', role('e', [rule('c')], { selects: [toView] }), undefined],
  ['its own rules where it is not made of others', role('e', [rule('x')]), undefined],
])('has %s', (_title, one, rules) => {
  expect(missingRules(one, [...parts, one])).toEqual(rules);
});

it('is no part of itself', () => {
  const one = role('e', [rule('x')], { labels: { edit: 'true' }, selects: [toEdit] });
  expect(missingRules(one, [one])).toEqual([]);
});
