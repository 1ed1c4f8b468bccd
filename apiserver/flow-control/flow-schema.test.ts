/** Which requests and users the rules of a FlowSchema match, and which of several schemas a request gets. */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { FlowSchemaClassifier } from './flow-schema-classifier';
import { readFlowSchema, type RequestAttributes } from './flow-schema';

const names = GENERATED_NAMES.platform;
const user: UserInfo = { name: 'u', groups: ['g', 'system:authenticated'] };
const serviceAccountUser: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: [] };

/** The attributes of a request to get a pod of the namespace `ns`, except for the given ones. */
const podRequest = (members: Partial<Extract<RequestAttributes, { kind: 'resource' }>> = {}): RequestAttributes => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  ...members,
});
const pathRequest = (text: string, verb = 'get'): RequestAttributes => ({ kind: 'path', verb, path: text });

/** Parses a schema with one rule, for one subject. */
const schemaWithRule = (name: string, precedence: number, subject: object, rule: object) =>
  readFlowSchema(
    {
      metadata: { name, uid: name },
      spec: { matchingPrecedence: precedence, priorityLevelConfiguration: { name: 'l' }, rules: [{ subjects: [subject], ...rule }] },
    },
    names,
  );
const userSubject = { kind: 'User', user: { name: 'u' } };
const ruleForEverything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
/** A rule for what {@link podRequest} requests, except for the given members. */
const resourceRule = (members: object) => ({
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['ns'], ...members }],
});
const pathRule = (...nonResourceURLs: string[]) => ({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] });

/** Whether a schema with this rule and subject applies to the request. */
const schemaMatches = (rule: object, attributes: RequestAttributes, subject: object = userSubject, requester = user): boolean =>
  new FlowSchemaClassifier([schemaWithRule('s', 1, subject, rule)]).classify(requester, attributes) !== undefined;

it.each<[string, object, RequestAttributes, boolean]>([
  ['matches a request with a rule for everything', ruleForEverything, podRequest(), true],
  ['matches the resource of a rule', resourceRule({}), podRequest(), true],
  ['does not match another verb', resourceRule({}), podRequest({ verb: 'list' }), false],
  ['does not match another group', resourceRule({}), podRequest({ group: 'apps' }), false],
  [
    'matches a group in the other spelling',
    resourceRule({ apiGroups: ['coordination.k8s.io'] }),
    podRequest({ group: 'coordination.platform.io' }),
    true,
  ],
  ['does not match another resource', resourceRule({}), podRequest({ resource: 'services' }), false],
  ['does not match a subresource of the resource of a rule', resourceRule({}), podRequest({ subresource: 'status' }), false],
  ['matches the subresource of a rule', resourceRule({ resources: ['pods/status'] }), podRequest({ subresource: 'status' }), true],
  ['does not match another namespace', resourceRule({}), podRequest({ namespace: 'other' }), false],
  [
    'matches a system namespace in the other spelling',
    resourceRule({ namespaces: ['kube-system'] }),
    podRequest({ namespace: 'platform-system' }),
    true,
  ],
  ['does not match a request without a namespace by default', resourceRule({ namespaces: ['*'] }), podRequest({ namespace: '' }), false],
  [
    'matches a request without a namespace with clusterScope',
    resourceRule({ clusterScope: true, namespaces: [] }),
    podRequest({ namespace: '' }),
    true,
  ],
  ['matches the path of a rule', pathRule('/healthz'), pathRequest('/healthz'), true],
  ['does not match a path below that of a rule', pathRule('/healthz'), pathRequest('/healthz/x'), false],
  ['matches a path below that of a rule with a wildcard', pathRule('/healthz/*'), pathRequest('/healthz/x'), true],
  ['does not match a path with another verb', pathRule('/healthz'), pathRequest('/healthz', 'post'), false],
  ['matches any path with *', pathRule('*'), pathRequest('/x'), true],
])('a FlowSchema %s', (_, rule, attributes, expected) => {
  expect(schemaMatches(rule, attributes)).toBe(expected);
});

it.each<[string, object, UserInfo, boolean]>([
  ['matches the user of a subject', userSubject, user, true],
  ['does not match another user', { kind: 'User', user: { name: 'v' } }, user, false],
  ['matches any user with *', { kind: 'User', user: { name: '*' } }, serviceAccountUser, true],
  ['matches the group of a subject', { kind: 'Group', group: { name: 'g' } }, user, true],
  ['does not match the group of another subject', { kind: 'Group', group: { name: 'h' } }, user, false],
  [
    'matches the service account of a subject',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'a' } },
    serviceAccountUser,
    true,
  ],
  [
    'matches any service account of the namespace with *',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform-system', name: '*' } },
    serviceAccountUser,
    true,
  ],
  [
    'does not match a service account of another namespace',
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform', name: '*' } },
    serviceAccountUser,
    false,
  ],
  ['does not match without a subject', {}, user, false],
])('a FlowSchema %s', (_, subject, requester, expected) => {
  expect(schemaMatches(ruleForEverything, podRequest(), subject, requester)).toBe(expected);
});

it('FlowSchemaClassifier prefers the lowest precedence, then the first name', () => {
  const schemas = [
    { name: 'c', precedence: 5 },
    { name: 'b', precedence: 3 },
    { name: 'a', precedence: 3 },
    { name: 'd', precedence: 9 },
  ].map(({ name, precedence }) => schemaWithRule(name, precedence, userSubject, ruleForEverything));
  expect(new FlowSchemaClassifier(schemas).classify(user, podRequest())?.name).toBe('a');
});
