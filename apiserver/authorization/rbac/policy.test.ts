/** The binding that a decision names. */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { rbacAuthorizer } from './authorizer';
import { readBinding } from './binding';
import { RbacPolicy } from './policy';
import { readRule } from './rule';

// Replicas see bindings in different orders.
it.each([[['first', 'other', 'second']], [['second', 'other', 'first']]])(
  'RBAC authorizer names the same binding for bindings added in the order %j',
  async (order) => {
    const policy = new RbacPolicy();
    policy.setRole('', 'r', [readRule({ verbs: ['get'], nonResourceURLs: ['/version'] })]);
    const binding = { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'Group', name: 'g' }] };
    for (const name of order) policy.setBinding('', name, readBinding('', name, binding, GENERATED_NAMES.platform));
    const attributes = { kind: 'path', verb: 'get', path: '/version' } as const;
    const decision = await rbacAuthorizer(policy).authorize({ name: 'u', groups: ['g'] }, attributes);
    expect(decision).toMatchObject({ type: 'allow', reason: expect.stringContaining('ClusterRoleBinding "first"') });
  },
);
