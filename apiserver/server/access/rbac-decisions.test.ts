/** Compares the decisions of the RBAC authorizer under random roles and bindings with those of release 1.31.1. */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, stringsAt } from '../../../shared/values/json';
import { reviewedAttributes } from '../../../test/support/attributes';
import { decisionSets, type DecisionSet } from '../../../test/replay/access-decisions';
import { rbacAuthorizer } from '../../authorization/rbac/authorizer';
import { readBinding } from '../../authorization/rbac/binding';
import { RbacPolicy } from '../../authorization/rbac/policy';
import { readRule } from '../../authorization/rbac/rule';

const { sets } = decisionSets('rbac/decisions');

function policyOf({ stored }: DecisionSet): RbacPolicy {
  const policy = new RbacPolicy();
  for (const { object: found } of stored) {
    const metadata = objectAt(found, 'metadata');
    const namespace = stringAt(metadata, 'namespace') ?? '';
    const name = stringAt(metadata, 'name') ?? '';
    if (objectAt(found, 'roleRef') !== undefined)
      policy.setBinding(namespace, name, readBinding(namespace, name, found, GENERATED_NAMES.platform));
    else policy.setRole(namespace, name, (arrayAt(found, 'rules') ?? []).filter(isObject).map(readRule));
  }
  return policy;
}

it('has enough of them', () => {
  expect(sets.flatMap(({ decisions }) => decisions)).toHaveLength(2_000);
  expect(sets.flatMap(({ decisions }) => decisions).filter(({ status }) => status['allowed'] === true).length).toBeGreaterThan(200);
});

it.each(sets.map((set, at) => [at, set] as const))('set %i', async (_at, set) => {
  const authorizer = rbacAuthorizer(policyOf(set));
  for (const { spec, status } of set.decisions) {
    const user = { name: stringAt(spec, 'user') ?? '', groups: stringsAt(spec, 'groups') };
    const { type, reason } = await authorizer.authorize(user, reviewedAttributes(spec));
    expect([spec, type === 'allow']).toEqual([spec, status['allowed'] === true]);
    // Of several bindings that allow it each server names the one that it comes to first.
    if (type === 'allow') expect(reason).toMatch(/^RBAC: allowed by /);
    else expect([spec, missing(reason)]).toEqual([spec, missing(stringAt(status, 'reason') ?? '')]);
  }
});

/** The roles that a reason says are missing. */
function missing(reason: string): readonly string[] {
  return [
    ...new Set(
      [...reason.matchAll(/(\w+)\.rbac\.authorization\.(?:k8s|platform)\.io ("[^"]*")/g)].map(([, kind, name]) => `${kind} ${name}`),
    ),
  ].sort();
}
