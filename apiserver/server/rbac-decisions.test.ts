/** What the authorizer decides under random roles and bindings, beside what release 1.31.1 decided (test/replay/rbac.ts). */
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { reviewedAttributes } from '../../test/support/attributes';
import { casesOf } from '../../test/replay/recording';
import { listOf, shape, text, tupleOf, type Check } from '../../test/replay/shape';
import { rbacAuthorizer } from '../authorization/rbac/authorizer';
import { readBinding } from '../authorization/rbac/binding';
import { RbacPolicy } from '../authorization/rbac/policy';
import { readRule } from '../authorization/rbac/rule';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const sets = casesOf(
  'rbac/decisions',
  shape({ stored: listOf(shape({ resource: text, namespace: text, name: text, object })), decisions: listOf(tupleOf(object, object)) }),
);
type RecordedSet = (typeof sets)[number];

function policyOf({ stored }: RecordedSet): RbacPolicy {
  const policy = new RbacPolicy();
  for (const { namespace, name, object: found } of stored)
    if (objectAt(found, 'roleRef') !== undefined)
      policy.setBinding(namespace, name, readBinding(namespace, name, found, GENERATED_NAMES.platform));
    else policy.setRole(namespace, name, (arrayAt(found, 'rules') ?? []).filter(isObject).map(readRule));
  return policy;
}

it('has enough of them', () => {
  expect(sets.flatMap(({ decisions }) => decisions)).toHaveLength(2_000);
  expect(sets.flatMap(({ decisions }) => decisions).filter(([, { allowed }]) => allowed === true).length).toBeGreaterThan(200);
});

it.each(sets.map((set, at) => [at, set] as const))('set %i', async (_at, set) => {
  const authorizer = rbacAuthorizer(policyOf(set));
  for (const [spec, status] of set.decisions) {
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
