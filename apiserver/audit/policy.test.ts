/** The matching of audit rules with requests, and the validation of policies. */
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { UserInfo } from '../../shared/api/identity/user';
import { compilePolicy, type AuditedRequest } from './policy';
import { AUDIT_POLICY_FORMAT, type AuditLevel, type AuditRule } from './policy-format';

const dev: UserInfo = { name: 'dev', groups: ['devs', 'system:authenticated'] };
/** Reads the pod `p` in the namespace `a`. */
const podRequest = (changes: object = {}): AuditedRequest => ({
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

/** The level at which a policy with this rule alone records a request. */
function levelOf(rule: Partial<AuditRule>, user: UserInfo | undefined, request: AuditedRequest): AuditLevel {
  return compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, GENERATED_NAMES.platform)(user, request).level;
}

/** Whether the rule matches a request of a user. */
const isMatch = (rule: Partial<AuditRule>, request: AuditedRequest, user: UserInfo = dev): boolean =>
  levelOf(rule, user, request) === 'Metadata';

/** A rule for a group, and for resources and names in it. */
const ruleFor = (group: string, resources?: string[], resourceNames?: string[]): Partial<AuditRule> => ({
  resources: [{ group, ...(resources === undefined ? {} : { resources }), ...(resourceNames === undefined ? {} : { resourceNames }) }],
});

it.each<[Partial<AuditRule>, AuditedRequest]>([
  [{}, podRequest()],
  [{}, pathRequest('/x')],
  [{ users: ['dev'] }, podRequest()],
  [{ userGroups: ['devs'] }, pathRequest('/x')],
  [{ verbs: ['get', 'list'] }, podRequest()],
  [{ namespaces: ['a'] }, podRequest()],
  [{ namespaces: [''] }, podRequest({ namespace: '' })],
  // The system namespace in the other dialect.
  [{ namespaces: ['kube-system'] }, podRequest({ namespace: 'platform-system' })],
  [ruleFor(''), podRequest()],
  [ruleFor('rbac.authorization.k8s.io'), podRequest({ group: 'rbac.authorization.platform.io' })],
  [ruleFor('', ['pods']), podRequest()],
  [ruleFor('', ['pods/log']), podRequest({ subresource: 'log' })],
  [ruleFor('', ['pods/*']), podRequest({ subresource: 'log' })],
  [ruleFor('', ['pods/*']), podRequest()],
  [ruleFor('', ['*/log']), podRequest({ subresource: 'log' })],
  [ruleFor('', ['*']), podRequest({ subresource: 'log' })],
  [ruleFor('', ['pods'], ['p']), podRequest()],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x')],
  [{ nonResourceURLs: ['/x/*'] }, pathRequest('/x/y')],
  [{ nonResourceURLs: ['*'] }, pathRequest('/x/y')],
])('audit rule %j matches the request %j', (rule, request) => {
  expect(isMatch(rule, request)).toBe(true);
});

it.each<[Partial<AuditRule>, AuditedRequest]>([
  [{ users: ['other'] }, podRequest()],
  [{ userGroups: ['ops'] }, pathRequest('/x')],
  [{ verbs: ['list'] }, podRequest()],
  [{ namespaces: ['b'] }, podRequest()],
  [{ namespaces: [''] }, pathRequest('/x')],
  [ruleFor('apps'), podRequest()],
  [ruleFor(''), pathRequest('/api')],
  [ruleFor('', ['pods']), podRequest({ subresource: 'log' })],
  [ruleFor('', ['*/log']), podRequest()],
  [ruleFor('', ['pods'], ['q']), podRequest()],
  [{ nonResourceURLs: ['/x'] }, pathRequest('/x/y')],
  [{ nonResourceURLs: ['*'] }, podRequest()],
])('audit rule %j does not match the request %j', (rule, request) => {
  expect(isMatch(rule, request)).toBe(false);
});

it('an audit rule matches service accounts by either name of their namespace', () => {
  const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: ['system:serviceaccounts:platform-system'] };
  expect(isMatch({ users: ['system:serviceaccount:kube-system:a'] }, podRequest(), account)).toBe(true);
  expect(isMatch({ userGroups: ['system:serviceaccounts:kube-system'] }, podRequest(), account)).toBe(true);
});

it('an audit rule for users or groups does not match a request without a user', () => {
  expect(levelOf({ users: ['dev'] }, undefined, podRequest())).toBe('None');
  expect(levelOf({ userGroups: ['devs'] }, undefined, podRequest())).toBe('None');
});

it('an audit rule without users and groups matches a request without a user', () => {
  expect(levelOf({}, undefined, podRequest())).toBe('Metadata');
});

it('a compiled audit policy applies the first matching rule and merges its omissions with those of the policy', () => {
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
  expect(policy(dev, podRequest())).toEqual({
    level: 'Request',
    omittedStages: new Set(['RequestReceived', 'Panic']),
    omitsManagedFields: false,
  });
  expect(policy(dev, podRequest({ verb: 'list' }))).toEqual({
    level: 'RequestResponse',
    omittedStages: new Set(['RequestReceived']),
    omitsManagedFields: true,
  });
  expect(policy(dev, podRequest({ verb: 'watch' })).level).toBe('None');
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
