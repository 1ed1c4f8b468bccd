import fc from 'fast-check';
import { resourceAttributes } from '../../../test/support/objects/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { ResourceAttributes } from '../authorizer';
import { readBinding } from './binding';
import { SubjectGrants, type BoundRules } from './subject-grants';
import { allowsObject, namesResource, readRule, type PolicyRule } from './rule';

const some = (...words: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...words], { minLength: 1, maxLength: 2 });

const rule = fc
  .record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/', 'pods/log', 'pods/log/x', 'secrets', '*', '*/', '*/log', '*/x'),
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

/**
 * Entries of `resources` that match a request, from specific to general: the resource, its subresource in every
 * resource, and `*`.
 */
function matchingEntries({ resource, subresource }: ResourceAttributes): readonly string[] {
  return subresource === '' ? [resource, '*'] : [`${resource}/${subresource}`, `*/${subresource}`, '*'];
}

const roleRef = { kind: 'ClusterRole', name: 'r' };

function boundRules(at: number, rules: readonly PolicyRule[]): BoundRules {
  const binding = readBinding('', `b${at}`, { roleRef, subjects: [{ kind: 'User', name: 'u' }] }, GENERATED_NAMES.platform);
  const [subject] = binding.subjects;
  if (subject === undefined) throw new Error('no subject');
  return { binding, subject, rules };
}

it('SubjectGrants allows what some rule allows, and names the first binding of the most specific match', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(rule, { maxLength: 3 }), { maxLength: 8 }),
      fc.array(anyAttributes, { minLength: 1 }),
      (roles, requests) => {
        const grants = new SubjectGrants(roles.map((rules, at) => boundRules(at, rules)));
        for (const attributes of requests) {
          const names =
            (naming: string) =>
            (candidate: PolicyRule): boolean =>
              candidate.resources.includes(naming) && allowsObject(candidate, attributes);
          const positions = matchingEntries(attributes).map((naming) => roles.findIndex((rules) => rules.some(names(naming))));
          const first = positions.find((at) => at >= 0);
          const grant = grants.find(attributes);
          expect(grant !== undefined).toBe(
            roles.flat().some((candidate) => namesResource(candidate, attributes) && allowsObject(candidate, attributes)),
          );
          if (first === undefined) expect(grant).toBeUndefined();
          else expect(grant?.decision.reason).toContain(`"b${first}"`);
        }
      },
    ),
    { numRuns: 500 },
  );
});

/** Decisions of release 1.31.1 on SubjectAccessReviews; their `resource` may contain a slash. */
it.each<[rule: string, resource: string, subresource: string, isAllowed: boolean]>([
  ['things/status', 'things/status', '', true],
  ['things/status', 'things', 'status', true],
  ['things/status', 'things', '', false],
  ['things/status', 'things/status', 'status', false],
  ['*/log', '*/log', '', true],
  ['*/log', 'pods', 'log', true],
  ['*/log', 'pods/log', '', false],
  ['*/log', 'pods/x', 'log', true],
  ['*/log', 'pods', 'x/log', false],
  ['*/log/x', 'pods', 'log/x', true],
  ['*/x', 'pods', 'log/x', false],
  ['nodes/*', 'nodes/*', '', true],
  ['nodes/*', 'nodes', '*', true],
  ['nodes/*', 'nodes', 'status', false],
  ['pods/log/x', 'pods/log', 'x', true],
  ['pods/', 'pods', '', false],
  ['pods/', 'pods', 'log', false],
  ['pods/', 'pods/', '', true],
  ['*/', 'pods', '', false],
  ['*/', 'pods/', '', false],
  ['/log', '', 'log', true],
  ['', 'pods', '', false],
])('a rule for %j allows the resource %j with subresource %j: %p', (text, resource, subresource, isAllowed) => {
  const grants = new SubjectGrants([boundRules(0, [readRule({ verbs: ['get'], apiGroups: [''], resources: [text] })])]);
  expect(grants.find(resourceAttributes({ resource, subresource })) !== undefined).toBe(isAllowed);
});
