import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { rbacAuthorizer } from './authorizer';
import { readBinding } from './binding';
import { RbacPolicy } from './policy';
import { readRule } from './rule';

const NAMES = ['first', 'other', 'second'];

it.each([[NAMES], [[...NAMES].reverse()]])('RBAC authorizer names the same binding for bindings added in the order %j', async (order) => {
  const policy = new RbacPolicy();
  policy.setRole('', 'r', [readRule({ verbs: ['get'], nonResourceURLs: ['/version'] })]);
  const roleRef = { kind: 'ClusterRole', name: 'r' };
  for (const name of order)
    policy.setBinding('', name, readBinding('', name, { roleRef, subjects: [{ kind: 'Group', name: 'g' }] }, GENERATED_NAMES.platform));
  const attributes = { kind: 'path', verb: 'get', path: '/version' } as const;
  const decision = await rbacAuthorizer(policy).authorize({ name: 'u', groups: ['g'] }, attributes);
  expect(decision).toMatchObject({ type: 'allow', reason: expect.stringContaining('ClusterRoleBinding "first"') });
});
