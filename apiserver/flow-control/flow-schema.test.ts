/** The matching of FlowSchemas with requests and users. */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { FlowSchemaClassifier } from './flow-schema-classifier';
import { readFlowSchema, type RequestAttributes } from './flow-schema';

const names = GENERATED_NAMES.platform;
const user: UserInfo = { name: 'u', groups: ['g', 'system:authenticated'] };
const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: [] };

const pods = (members: Partial<Extract<RequestAttributes, { kind: 'resource' }>> = {}): RequestAttributes => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  ...members,
});
const path = (text: string, verb = 'get'): RequestAttributes => ({ kind: 'path', verb, path: text });

const schema = (name: string, precedence: number, subject: object, rule: object) =>
  readFlowSchema(
    {
      metadata: { name, uid: name },
      spec: { matchingPrecedence: precedence, priorityLevelConfiguration: { name: 'l' }, rules: [{ subjects: [subject], ...rule }] },
    },
    names,
  );
const userSubject = { kind: 'User', user: { name: 'u' } };
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const resources = (members: object) => ({
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['ns'], ...members }],
});
const paths = (...nonResourceURLs: string[]) => ({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] });

const isMatch = (rule: object, attributes: RequestAttributes, subject: object = userSubject, requester = user): boolean =>
  new FlowSchemaClassifier([schema('s', 1, subject, rule)]).classify(requester, attributes) !== undefined;

it.each<[string, object, RequestAttributes, boolean]>([
  ['matches a request with a rule for everything', everything, pods(), true],
  ['matches the resource of a rule', resources({}), pods(), true],
  ['does not match another verb', resources({}), pods({ verb: 'list' }), false],
  ['does not match another group', resources({}), pods({ group: 'apps' }), false],
  [
    'matches a group in the other spelling',
    resources({ apiGroups: ['coordination.k8s.io'] }),
    pods({ group: 'coordination.platform.io' }),
    true,
  ],
  ['does not match another resource', resources({}), pods({ resource: 'services' }), false],
  ['does not match a subresource of the resource of a rule', resources({}), pods({ subresource: 'status' }), false],
  ['matches the subresource of a rule', resources({ resources: ['pods/status'] }), pods({ subresource: 'status' }), true],
  ['does not match another namespace', resources({}), pods({ namespace: 'other' }), false],
  [
    'matches a system namespace in the other spelling',
    resources({ namespaces: ['kube-system'] }),
    pods({ namespace: 'platform-system' }),
    true,
  ],
  ['does not match a request without a namespace by default', resources({ namespaces: ['*'] }), pods({ namespace: '' }), false],
  [
    'matches a request without a namespace with clusterScope',
    resources({ clusterScope: true, namespaces: [] }),
    pods({ namespace: '' }),
    true,
  ],
  ['matches the path of a rule', paths('/healthz'), path('/healthz'), true],
  ['does not match a path below that of a rule', paths('/healthz'), path('/healthz/x'), false],
  ['matches a path below that of a rule with a wildcard', paths('/healthz/*'), path('/healthz/x'), true],
  ['does not match a path with another verb', paths('/healthz'), path('/healthz', 'post'), false],
  ['matches any path with *', paths('*'), path('/x'), true],
])('a FlowSchema %s', (_, rule, attributes, expected) => {
  expect(isMatch(rule, attributes)).toBe(expected);
});

it.each<[string, object, UserInfo, boolean]>([
  ['matches the user of a subject', userSubject, user, true],
  ['does not match another user', { kind: 'User', user: { name: 'v' } }, user, false],
  ['matches any user with *', { kind: 'User', user: { name: '*' } }, account, true],
  ['matches the group of a subject', { kind: 'Group', group: { name: 'g' } }, user, true],
  ['does not match the group of another subject', { kind: 'Group', group: { name: 'h' } }, user, false],
  [
    'matches the service account of a subject',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'a' } },
    account,
    true,
  ],
  [
    'matches any service account of the namespace with *',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform-system', name: '*' } },
    account,
    true,
  ],
  [
    'does not match a service account of another namespace',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform', name: '*' } },
    account,
    false,
  ],
  ['does not match without a subject', {}, user, false],
])('a FlowSchema %s', (_, subject, requester, expected) => {
  expect(isMatch(everything, pods(), subject, requester)).toBe(expected);
});

it('Classification tries schemas by precedence and then by name', () => {
  const schemaOf = (name: string, precedence: number) => schema(name, precedence, userSubject, everything);
  expect(
    new FlowSchemaClassifier([schemaOf('c', 5), schemaOf('b', 3), schemaOf('a', 3), schemaOf('d', 9)]).classify(user, pods())?.name,
  ).toBe('a');
});
