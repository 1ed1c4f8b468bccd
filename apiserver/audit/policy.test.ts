import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { UserInfo } from '../../shared/api/identity/user';
import { compilePolicy, type Audited } from './policy';
import { POLICY_FORMAT, type AuditRule } from './policy-format';

const dev: UserInfo = { name: 'dev', groups: ['devs', 'system:authenticated'] };
const resource = (changes: object = {}): Audited => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
  ...changes,
});
const at = (path: string): Audited => ({ kind: 'path', verb: 'get', path });

function fits(rule: Partial<AuditRule>, about: Audited, user: UserInfo | undefined = dev): boolean {
  return compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(user, about).level === 'Metadata';
}

const of = (group: string, resources?: string[], resourceNames?: string[]): Partial<AuditRule> => ({
  resources: [{ group, ...(resources === undefined ? {} : { resources }), ...(resourceNames === undefined ? {} : { resourceNames }) }],
});

it.each<[Partial<AuditRule>, Audited, boolean]>([
  [{}, resource(), true],
  [{}, at('/x'), true],
  [{ users: ['dev'] }, resource(), true],
  [{ users: ['other'] }, resource(), false],
  [{ userGroups: ['devs'] }, at('/x'), true],
  [{ userGroups: ['ops'] }, at('/x'), false],
  [{ verbs: ['get', 'list'] }, resource(), true],
  [{ verbs: ['list'] }, resource(), false],
  [{ namespaces: ['a'] }, resource(), true],
  [{ namespaces: ['b'] }, resource(), false],
  [{ namespaces: [''] }, resource({ namespace: '' }), true],
  [{ namespaces: [''] }, at('/x'), false],
  // A system namespace under its other name is the same.
  [{ namespaces: ['kube-system'] }, resource({ namespace: 'platform-system' }), true],
  [of(''), resource(), true],
  [of('apps'), resource(), false],
  [of('rbac.authorization.k8s.io'), resource({ group: 'rbac.authorization.platform.io' }), true],
  [of(''), at('/api'), false],
  [of('', ['pods']), resource(), true],
  [of('', ['pods']), resource({ subresource: 'log' }), false],
  [of('', ['pods/log']), resource({ subresource: 'log' }), true],
  [of('', ['pods/*']), resource({ subresource: 'log' }), true],
  [of('', ['pods/*']), resource(), true],
  [of('', ['*/log']), resource({ subresource: 'log' }), true],
  [of('', ['*/log']), resource(), false],
  [of('', ['*']), resource({ subresource: 'log' }), true],
  [of('', ['pods'], ['p']), resource(), true],
  [of('', ['pods'], ['q']), resource(), false],
  [{ nonResourceURLs: ['/x'] }, at('/x'), true],
  [{ nonResourceURLs: ['/x'] }, at('/x/y'), false],
  [{ nonResourceURLs: ['/x/*'] }, at('/x/y'), true],
  [{ nonResourceURLs: ['*'] }, at('/x/y'), true],
  [{ nonResourceURLs: ['*'] }, resource(), false],
])('audit rule %j applied to %j matches: %p', (rule, about, expected) => {
  expect(fits(rule, about)).toBe(expected);
});

it('audit rule matches service accounts in either spelling of their namespace', () => {
  const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: ['system:serviceaccounts:platform-system'] };
  expect(fits({ users: ['system:serviceaccount:kube-system:a'] }, resource(), account)).toBe(true);
  expect(fits({ userGroups: ['system:serviceaccounts:kube-system'] }, resource(), account)).toBe(true);
});

it('audit rule for users or groups does not match a request without a user', () => {
  const about = resource();
  const level = (rule: Partial<AuditRule>): string =>
    compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(undefined, about).level;
  expect([level({ users: ['dev'] }), level({ userGroups: ['devs'] }), level({})]).toEqual(['None', 'None', 'Metadata']);
});

it('audit policy applies the first matching rule, and merges its omissions with those of the policy', () => {
  const policy = compilePolicy(
    {
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'RequestResponse', verbs: ['get', 'list'] },
      ],
    },
    GENERATED_NAMES.platform,
  );
  expect(policy(dev, resource())).toEqual({ level: 'Request', omits: new Set(['RequestReceived', 'Panic']), omitsManagedFields: false });
  expect(policy(dev, resource({ verb: 'list' }))).toEqual({
    level: 'RequestResponse',
    omits: new Set(['RequestReceived']),
    omitsManagedFields: true,
  });
  expect(policy(dev, resource({ verb: 'watch' })).level).toBe('None');
});

it.each<[Partial<AuditRule>, string]>([
  [
    { nonResourceURLs: ['/x'], namespaces: ['a'] },
    'rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs',
  ],
  [{ nonResourceURLs: ['x'] }, "rules[0].nonResourceURLs[0]: non-resource URLs must start with '/', unless the URL is '*'"],
  [{ nonResourceURLs: ['/x*y'] }, 'rules[0].nonResourceURLs[0]: non-resource URLs wildcards must be the final character of the rule'],
  [of('apps/v1'), 'rules[0].resources[0].group: must be the name of an API group, without a version'],
  [of('', undefined, ['p']), 'rules[0].resources[0].resourceNames: using resourceNames requires at least one resource'],
])('audit policy rejects %j: %s', (rule, fault) => {
  const faults = POLICY_FORMAT.validate?.({ rules: [{ level: 'Metadata', ...rule }] }) ?? [];
  expect(faults.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([fault]);
});
