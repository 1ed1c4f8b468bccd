/** The matching of audit rules with requests, and the validation of policies. */
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

/** Whether a policy with this rule alone records the request. */
function isMatch(rule: Partial<AuditRule>, request: AuditedRequest, user: UserInfo | undefined = dev): boolean {
  return compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(user, request).level === 'Metadata';
}

const ruleFor = (group: string, resources?: string[], resourceNames?: string[]): Partial<AuditRule> => ({
  resources: [{ group, ...(resources === undefined ? {} : { resources }), ...(resourceNames === undefined ? {} : { resourceNames }) }],
});

it.each<[Partial<AuditRule>, AuditedRequest]>([
  [{}, resource()],
  [{}, pathRequest('/x')],
  [{ users: ['dev'] }, resource()],
  [{ userGroups: ['devs'] }, pathRequest('/x')],
  [{ verbs: ['get', 'list'] }, resource()],
  [{ namespaces: ['a'] }, resource()],
  [{ namespaces: [''] }, resource({ namespace: '' })],
  // The system namespace in the other dialect.
  [{ namespaces: ['kube-system'] }, resource({ namespace: 'platform-system' })],
  [ruleFor(''), resource()],
  [ruleFor('rbac.authorization.k8s.io'), resource({ group: 'rbac.authorization.platform.io' })],
  [ruleFor('', ['pods']), resource()],
  [ruleFor('', ['pods/log']), resource({ subresource: 'log' })],
  [ruleFor('', ['pods/*']), resource({ subresource: 'log' })],
  [ruleFor('', ['pods/*']), resource()],
  [ruleFor('', ['*/log']), resource({ subresource: 'log' })],
  [ruleFor('', ['*']), resource({ subresource: 'log' })],
  [ruleFor('', ['pods'], ['p']), resource()],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x')],
  [{ nonResourceURLs: ['/x/*'] }, pathRequest('/x/y')],
  [{ nonResourceURLs: ['*'] }, pathRequest('/x/y')],
])('audit rule %j matches the request %j', (rule, request) => {
  expect(isMatch(rule, request)).toBe(true);
});

it.each<[Partial<AuditRule>, AuditedRequest]>([
  [{ users: ['other'] }, resource()],
  [{ userGroups: ['ops'] }, pathRequest('/x')],
  [{ verbs: ['list'] }, resource()],
  [{ namespaces: ['b'] }, resource()],
  [{ namespaces: [''] }, pathRequest('/x')],
  [ruleFor('apps'), resource()],
  [ruleFor(''), pathRequest('/api')],
  [ruleFor('', ['pods']), resource({ subresource: 'log' })],
  [ruleFor('', ['*/log']), resource()],
  [ruleFor('', ['pods'], ['q']), resource()],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x/y')],
  [{ nonResourceURLs: ['*'] }, resource()],
])('audit rule %j does not match the request %j', (rule, request) => {
  expect(isMatch(rule, request)).toBe(false);
});

it('an audit rule matches service accounts by either name of their namespace', () => {
  const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: ['system:serviceaccounts:platform-system'] };
  expect(isMatch({ users: ['system:serviceaccount:kube-system:a'] }, resource(), account)).toBe(true);
  expect(isMatch({ userGroups: ['system:serviceaccounts:kube-system'] }, resource(), account)).toBe(true);
});

it('an audit rule for users or groups does not match a request without a user', () => {
  const request = resource();
  const level = (rule: Partial<AuditRule>): string =>
    compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(undefined, request).level;
  expect(level({ users: ['dev'] })).toBe('None');
  expect(level({ userGroups: ['devs'] })).toBe('None');
  expect(level({})).toBe('Metadata');
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
])('audit policy rejects %j: %s', (rule, error) => {
  const errors = AUDIT_POLICY_FORMAT.validate?.({ rules: [{ level: 'Metadata', ...rule }] }) ?? [];
  expect(errors.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([error]);
});
