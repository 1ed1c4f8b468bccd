import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { UserInfo } from '../../shared/api/identity/user';
import { compilePolicy, type AuditedRequest } from './policy';
import { AUDIT_POLICY_FORMAT, type AuditRule } from './policy-format';

const dev: UserInfo = { name: 'dev', groups: ['devs', 'system:authenticated'] };
const resource = (changes: object = {}): AuditedRequest => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
  ...changes,
});
const pathRequest = (path: string): AuditedRequest => ({ kind: 'path', verb: 'get', path });

function isMatch(rule: Partial<AuditRule>, about: AuditedRequest, user: UserInfo | undefined = dev): boolean {
  return compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(user, about).level === 'Metadata';
}

const ruleFor = (group: string, resources?: string[], resourceNames?: string[]): Partial<AuditRule> => ({
  resources: [{ group, ...(resources === undefined ? {} : { resources }), ...(resourceNames === undefined ? {} : { resourceNames }) }],
});

it.each<[Partial<AuditRule>, AuditedRequest, boolean]>([
  [{}, resource(), true],
  [{}, pathRequest('/x'), true],
  [{ users: ['dev'] }, resource(), true],
  [{ users: ['other'] }, resource(), false],
  [{ userGroups: ['devs'] }, pathRequest('/x'), true],
  [{ userGroups: ['ops'] }, pathRequest('/x'), false],
  [{ verbs: ['get', 'list'] }, resource(), true],
  [{ verbs: ['list'] }, resource(), false],
  [{ namespaces: ['a'] }, resource(), true],
  [{ namespaces: ['b'] }, resource(), false],
  [{ namespaces: [''] }, resource({ namespace: '' }), true],
  [{ namespaces: [''] }, pathRequest('/x'), false],
  // The system namespace in the other dialect.
  [{ namespaces: ['kube-system'] }, resource({ namespace: 'platform-system' }), true],
  [ruleFor(''), resource(), true],
  [ruleFor('apps'), resource(), false],
  [ruleFor('rbac.authorization.k8s.io'), resource({ group: 'rbac.authorization.platform.io' }), true],
  [ruleFor(''), pathRequest('/api'), false],
  [ruleFor('', ['pods']), resource(), true],
  [ruleFor('', ['pods']), resource({ subresource: 'log' }), false],
  [ruleFor('', ['pods/log']), resource({ subresource: 'log' }), true],
  [ruleFor('', ['pods/*']), resource({ subresource: 'log' }), true],
  [ruleFor('', ['pods/*']), resource(), true],
  [ruleFor('', ['*/log']), resource({ subresource: 'log' }), true],
  [ruleFor('', ['*/log']), resource(), false],
  [ruleFor('', ['*']), resource({ subresource: 'log' }), true],
  [ruleFor('', ['pods'], ['p']), resource(), true],
  [ruleFor('', ['pods'], ['q']), resource(), false],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x'), true],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x/y'), false],
  [{ nonResourceURLs: ['/x/*'] }, pathRequest('/x/y'), true],
  [{ nonResourceURLs: ['*'] }, pathRequest('/x/y'), true],
  [{ nonResourceURLs: ['*'] }, resource(), false],
])('audit rule %j applied to %j matches: %p', (rule, about, expected) => {
  expect(isMatch(rule, about)).toBe(expected);
});

it('an audit rule matches service accounts by either name of their namespace', () => {
  const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: ['system:serviceaccounts:platform-system'] };
  expect(isMatch({ users: ['system:serviceaccount:kube-system:a'] }, resource(), account)).toBe(true);
  expect(isMatch({ userGroups: ['system:serviceaccounts:kube-system'] }, resource(), account)).toBe(true);
});

it('an audit rule for users or groups does not match a request without a user', () => {
  const about = resource();
  const level = (rule: Partial<AuditRule>): string =>
    compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(undefined, about).level;
  expect([level({ users: ['dev'] }), level({ userGroups: ['devs'] }), level({})]).toEqual(['None', 'None', 'Metadata']);
});

it('an audit policy applies the first matching rule and merges its omissions with those of the policy', () => {
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
  expect(policy(dev, resource())).toEqual({
    level: 'Request',
    omittedStages: new Set(['RequestReceived', 'Panic']),
    omitsManagedFields: false,
  });
  expect(policy(dev, resource({ verb: 'list' }))).toEqual({
    level: 'RequestResponse',
    omittedStages: new Set(['RequestReceived']),
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
  [ruleFor('apps/v1'), 'rules[0].resources[0].group: must be the name of an API group, without a version'],
  [ruleFor('', undefined, ['p']), 'rules[0].resources[0].resourceNames: using resourceNames requires at least one resource'],
])('audit policy rejects %j: %s', (rule, fault) => {
  const faults = AUDIT_POLICY_FORMAT.validate?.({ rules: [{ level: 'Metadata', ...rule }] }) ?? [];
  expect(faults.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([fault]);
});
