/** How the authorizer AlwaysDeny affects those before and after it in the configured order. */
import { resourceAttributes } from '../../../test/support/objects/attributes';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { MASTERS_GROUP } from '../../../shared/api/identity/user';
import type { Authorizer } from '../../authorization/authorizer';
import { ALL_RULES, ALLOW, NO_RULES } from '../../authorization/authorizer';
import { NodeGraph } from '../../authorization/node/graph';
import { RbacPolicy } from '../../authorization/rbac/policy';
import { unionAuthorizer } from '../../authorization/union';
import { createAuthorizers, type AuthorizerLink } from './authorizers';

const { nodeLeaseNamespace } = GENERATED_NAMES.platform;
const deps = { rbac: new RbacPolicy(), node: { graph: new NodeGraph(), commonRules: [], nodeLeaseNamespace } };

describe('AlwaysDeny', () => {
  const allowing: Authorizer = { authorize: () => ALLOW, rules: () => ALL_RULES };
  const chain = (...links: readonly AuthorizerLink[]): Authorizer => unionAuthorizer(createAuthorizers(links, deps));

  it('denies requests without calling the authorizers after it', async () => {
    const authorizeAfter = jest.fn(() => ALLOW);
    const afterDeny: Authorizer = { authorize: authorizeAfter, rules: () => ALL_RULES };
    const denied = { type: 'deny', reason: 'Everything is forbidden.' };
    for (const links of [
      ['AlwaysDeny', afterDeny],
      ['AlwaysDeny', 'AlwaysAllow'],
      ['RBAC', 'AlwaysDeny', afterDeny],
    ] as const)
      expect(await chain(...links).authorize({ name: 'u', groups: [] }, resourceAttributes())).toEqual(denied);
    expect(authorizeAfter).not.toHaveBeenCalled();
  });

  it('hides the rules of the authorizers after it', () => {
    expect(chain('AlwaysDeny', allowing).rules({ name: 'u', groups: [] }, 'n')).toEqual(NO_RULES);
    expect(chain(allowing, 'AlwaysDeny').rules({ name: 'u', groups: [] }, 'n')).toEqual(ALL_RULES);
  });

  it('does not affect requests that an authorizer before it or the group system:masters allows', async () => {
    expect(await chain(allowing, 'AlwaysDeny').authorize({ name: 'u', groups: [] }, resourceAttributes())).toEqual(ALLOW);
    expect(await chain('AlwaysDeny').authorize({ name: 'u', groups: [MASTERS_GROUP] }, resourceAttributes())).toEqual(ALLOW);
  });
});
