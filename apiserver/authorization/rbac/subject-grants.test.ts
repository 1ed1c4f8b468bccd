/** The grants of a subject: compared with a direct evaluation of its rules, for generated rules and requests. */
import fc from 'fast-check';
import { resourceAttributes } from '../../../test/support/objects/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { ResourceAttributes } from '../authorizer';
import { readBinding } from './binding';
import { SubjectGrants, type BoundRules } from './subject-grants';
import { allowsObject, namesResource, readRule, type PolicyRule } from './rule';

/** One or two of the words. */
const oneOrTwoOf = (...words: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...words], { minLength: 1, maxLength: 2 });

const anyRule = fc
  .record({
    verbs: oneOrTwoOf('get', 'list', '*'),
    apiGroups: oneOrTwoOf('', 'apps', '*'),
    resources: oneOrTwoOf('pods', 'pods/', 'pods/log', 'pods/log/x', 'secrets', '*', '*/', '*/log', '*/x'),
    resourceNames: fc.subarray(['', 'a', 'b', 'c']),
  })
  .map(readRule);

const anyAttributes: fc.Arbitrary<ResourceAttributes> = fc
  .record({
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'other'),
    resource: fc.constantFrom('pods', 'secrets', 'nodes', 'pods/log', 'pods/', '*/log'),
    subresource: fc.constantFrom('', 'log', 'log/x'),
    name: fc.constantFrom('', 'a', 'b', 'd'),
  })
  .map(resourceAttributes);

/** The entries in `resources` of a rule that match a request, from specific to general. */
function matchingEntries({ resource, subresource }: ResourceAttributes): readonly string[] {
  return subresource === '' ? [resource, '*'] : [`${resource}/${subresource}`, `*/${subresource}`, '*'];
}

/**
 * The index of the first role that allows the request by the most specific entry by which any role allows it; -1 when
 * none does.
 */
function decidingRole(roles: readonly (readonly PolicyRule[])[], attributes: ResourceAttributes): number {
  for (const entry of matchingEntries(attributes)) {
    const index = roles.findIndex((rules) => rules.some((rule) => rule.resources.includes(entry) && allowsObject(rule, attributes)));
    if (index >= 0) return index;
  }
  return -1;
}

const roleRef = { kind: 'ClusterRole', name: 'r' };

/** The rules of the binding `b<index>` of the user `u`. */
function boundRules(index: number, rules: readonly PolicyRule[]): BoundRules {
  const binding = readBinding('', `b${index}`, { roleRef, subjects: [{ kind: 'User', name: 'u' }] }, GENERATED_NAMES.platform);
  const [subject] = binding.subjects;
  if (subject === undefined) throw new Error('no subject');
  return { binding, subject, rules };
}

const anyRoles = fc.array(fc.array(anyRule, { maxLength: 3 }), { maxLength: 8 });
const anyRequests = fc.array(anyAttributes, { minLength: 1 });

it('SubjectGrants allows what some rule allows, and names the first binding of the most specific match', () => {
  const property = fc.property(anyRoles, anyRequests, (roles, requests) => {
    const grants = new SubjectGrants(roles.map((rules, index) => boundRules(index, rules)));
    for (const attributes of requests) {
      const isAllowedByRule = roles.flat().some((rule) => namesResource(rule, attributes) && allowsObject(rule, attributes));
      const grant = grants.find(attributes);
      expect(grant !== undefined).toBe(isAllowedByRule);
      const role = decidingRole(roles, attributes);
      if (role < 0) expect(grant).toBeUndefined();
      else expect(grant?.decision.reason).toContain(`"b${role}"`);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

/**
 * Whether a rule for `get` of `ruleResource` allows a request; `resource` may contain a slash, as in a
 * SubjectAccessReview.
 */
function isAllowed(ruleResource: string, resource: string, subresource: string): boolean {
  const grants = new SubjectGrants([boundRules(0, [readRule({ verbs: ['get'], apiGroups: [''], resources: [ruleResource] })])]);
  return grants.find(resourceAttributes({ resource, subresource })) !== undefined;
}

// The decisions of the two tables were observed at release 1.31.1.

it.each<[rule: string, resource: string, subresource: string]>([
  ['things/status', 'things/status', ''],
  ['things/status', 'things', 'status'],
  ['*/log', '*/log', ''],
  ['*/log', 'pods', 'log'],
  ['*/log', 'pods/x', 'log'],
  ['*/log/x', 'pods', 'log/x'],
  ['nodes/*', 'nodes/*', ''],
  ['nodes/*', 'nodes', '*'],
  ['pods/log/x', 'pods/log', 'x'],
  ['pods/', 'pods/', ''],
  ['/log', '', 'log'],
])('a rule for %j allows the resource %j with subresource %j', (ruleResource, resource, subresource) => {
  expect(isAllowed(ruleResource, resource, subresource)).toBe(true);
});

it.each<[rule: string, resource: string, subresource: string]>([
  ['things/status', 'things', ''],
  ['things/status', 'things/status', 'status'],
  ['*/log', 'pods/log', ''],
  ['*/log', 'pods', 'x/log'],
  ['*/x', 'pods', 'log/x'],
  ['nodes/*', 'nodes', 'status'],
  ['pods/', 'pods', ''],
  ['pods/', 'pods', 'log'],
  ['*/', 'pods', ''],
  ['*/', 'pods/', ''],
  ['', 'pods', ''],
])('a rule for %j does not allow the resource %j with subresource %j', (ruleResource, resource, subresource) => {
  expect(isAllowed(ruleResource, resource, subresource)).toBe(false);
});
