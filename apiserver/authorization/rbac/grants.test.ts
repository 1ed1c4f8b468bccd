import fc from 'fast-check';
import { resourceAttributes } from '../../../test/support/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { ResourceAttributes } from '../authorizer';
import { readBinding } from './binding';
import { Grants, type BoundRules } from './grants';
import { allowsResource, readRule, type PolicyRule } from './rule';

const some = (...words: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...words], { minLength: 1, maxLength: 2 });

const rule = fc
  .record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', 'secrets', '*', '*/log'),
    resourceNames: fc.subarray(['a', 'b', 'c']),
  })
  .map(readRule);

const asked: fc.Arbitrary<ResourceAttributes> = fc
  .record({
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'other'),
    resource: fc.constantFrom('pods', 'secrets', 'nodes'),
    subresource: fc.constantFrom('', 'log'),
    name: fc.constantFrom('', 'a', 'b', 'd'),
  })
  .map(resourceAttributes);

/** Those that name it, then those about any resource with that subresource, then those about everything. */
function namings({ resource, subresource }: ResourceAttributes): readonly string[] {
  const below = subresource === '' ? '' : `/${subresource}`;
  return [...new Set([`${resource}${below}`, `*${below}`, '*'])];
}

const roleRef = { kind: 'ClusterRole', name: 'r' };

function bound(at: number, rules: readonly PolicyRule[]): BoundRules {
  const binding = readBinding('', `b${at}`, { roleRef, subjects: [{ kind: 'User', name: 'u' }] }, GENERATED_NAMES.platform);
  const [subject] = binding.subjects;
  if (subject === undefined) throw new Error('no subject');
  return { binding, subject, rules };
}

it('allows what a rule allows, and names the first binding of those that name it most closely', () => {
  fc.assert(
    fc.property(fc.array(fc.array(rule, { maxLength: 3 }), { maxLength: 8 }), fc.array(asked, { minLength: 1 }), (roles, questions) => {
      const grants = new Grants(roles.map((rules, at) => bound(at, rules)));
      for (const attributes of questions) {
        const names =
          (naming: string) =>
          (one: PolicyRule): boolean =>
            one.resources.includes(naming) && allowsResource(one, attributes);
        const places = namings(attributes).map((naming) => roles.findIndex((rules) => rules.some(names(naming))));
        const first = places.find((at) => at >= 0);
        const decision = grants.decideResource(attributes);
        if (first === undefined) expect(decision).toBeUndefined();
        else expect(decision?.reason).toContain(`"b${first}"`);
      }
    }),
    { numRuns: 500 },
  );
});
