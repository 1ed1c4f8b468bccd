/** Compares the decisions of the RBAC authorizer under random roles and bindings with those of release 1.31.1. */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, stringsAt } from '../../../shared/values/json';
import { reviewedAttributes } from '../../../test/support/objects/attributes';
import { decisionSets, type DecisionSet } from '../../../test/replay/formats/access-decisions';
import { rbacAuthorizer } from '../../authorization/rbac/authorizer';
import { readBinding } from '../../authorization/rbac/binding';
import { RbacPolicy } from '../../authorization/rbac/policy';
import { readRule } from '../../authorization/rbac/rule';

const { sets } = decisionSets('rbac/decisions');

function policyOf({ stored }: DecisionSet): RbacPolicy {
  const policy = new RbacPolicy();
  for (const { object } of stored) {
    const metadata = objectAt(object, 'metadata');
    const namespace = stringAt(metadata, 'namespace') ?? '';
    const name = stringAt(metadata, 'name') ?? '';
    if (objectAt(object, 'roleRef') !== undefined)
      policy.setBinding(namespace, name, readBinding(namespace, name, object, GENERATED_NAMES.platform));
    else policy.setRole(namespace, name, (arrayAt(object, 'rules') ?? []).filter(isObject).map(readRule));
  }
  return policy;
}

it('the recordings contain 2,000 decisions, more than 200 of them allowed', () => {
  expect(sets.flatMap(({ decisions }) => decisions)).toHaveLength(2_000);
  expect(sets.flatMap(({ decisions }) => decisions).filter(({ status }) => status['allowed'] === true).length).toBeGreaterThan(200);
});

it.each(sets.map((set, index) => [index, set] as const))(
  'the RBAC authorizer decides as release 1.31.1 with the policy of set %i',
  async (_index, set) => {
    const authorizer = rbacAuthorizer(policyOf(set));
    for (const { spec, status } of set.decisions) {
      const user = { name: stringAt(spec, 'user') ?? '', groups: stringsAt(spec, 'groups') };
      const { type, reason } = await authorizer.authorize(user, reviewedAttributes(spec));
      expect([spec, type === 'allow']).toEqual([spec, status['allowed'] === true]);
      // Each server names the first matching binding that it finds.
      if (type === 'allow') expect(reason).toMatch(/^RBAC: allowed by /);
      else expect([spec, missingRoles(reason)]).toEqual([spec, missingRoles(stringAt(status, 'reason') ?? '')]);
    }
  },
);

/** The roles that the reason reports as missing: `clusterrole.rbac.authorization.k8s.io "x"` -> `clusterrole "x"`. */
function missingRoles(reason: string): readonly string[] {
  return [
    ...new Set(
      [...reason.matchAll(/(\w+)\.rbac\.authorization\.(?:k8s|platform)\.io ("[^"]*")/g)].map(([, kind, name]) => `${kind} ${name}`),
    ),
  ].sort();
}
