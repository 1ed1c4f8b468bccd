import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { Classification } from './classification';
import { readFlowSchema, type Asked } from './flow-schema';

const names = GENERATED_NAMES.platform;
const user: UserInfo = { name: 'u', groups: ['g', 'system:authenticated'] };
const account: UserInfo = { name: 'system:serviceaccount:platform-system:a', groups: [] };

const pods = (members: Partial<Extract<Asked, { kind: 'resource' }>> = {}): Asked => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  ...members,
});
const path = (text: string, verb = 'get'): Asked => ({ kind: 'path', verb, path: text });

const schema = (name: string, precedence: number, subject: object, rule: object) =>
  readFlowSchema(
    {
      metadata: { name, uid: name },
      spec: { matchingPrecedence: precedence, priorityLevelConfiguration: { name: 'l' }, rules: [{ subjects: [subject], ...rule }] },
    },
    names,
  );
const ofUser = { kind: 'User', user: { name: 'u' } };
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const resources = (members: object) => ({
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['ns'], ...members }],
});
const paths = (...nonResourceURLs: string[]) => ({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] });

const falls = (rule: object, asked: Asked, subject: object = ofUser, asking = user): boolean =>
  new Classification([schema('s', 1, subject, rule)]).find(asking, asked) !== undefined;

it.each<[string, object, Asked, boolean]>([
  ['all of it', everything, pods(), true],
  ['what is named', resources({}), pods(), true],
  ['another verb', resources({}), pods({ verb: 'list' }), false],
  ['another group', resources({}), pods({ group: 'apps' }), false],
  ['a group in the other spelling', resources({ apiGroups: ['coordination.k8s.io'] }), pods({ group: 'coordination.platform.io' }), true],
  ['another resource', resources({}), pods({ resource: 'services' }), false],
  ['a subresource of what is named', resources({}), pods({ subresource: 'status' }), false],
  ['a subresource that is named', resources({ resources: ['pods/status'] }), pods({ subresource: 'status' }), true],
  ['another namespace', resources({}), pods({ namespace: 'other' }), false],
  ['a system namespace in the other spelling', resources({ namespaces: ['kube-system'] }), pods({ namespace: 'platform-system' }), true],
  ['no namespace', resources({ namespaces: ['*'] }), pods({ namespace: '' }), false],
  ['no namespace, where that is meant', resources({ clusterScope: true, namespaces: [] }), pods({ namespace: '' }), true],
  ['a path', paths('/healthz'), path('/healthz'), true],
  ['a path below', paths('/healthz'), path('/healthz/x'), false],
  ['a path below, where that is meant', paths('/healthz/*'), path('/healthz/x'), true],
  ['a path with another verb', paths('/healthz'), path('/healthz', 'post'), false],
  ['any path', paths('*'), path('/x'), true],
])('%s', (_, rule, asked, expected) => {
  expect(falls(rule, asked)).toBe(expected);
});

it.each<[string, object, UserInfo, boolean]>([
  ['the user', ofUser, user, true],
  ['another user', { kind: 'User', user: { name: 'v' } }, user, false],
  ['any user', { kind: 'User', user: { name: '*' } }, account, true],
  ['a group', { kind: 'Group', group: { name: 'g' } }, user, true],
  ['another group', { kind: 'Group', group: { name: 'h' } }, user, false],
  ['an account', { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'a' } }, account, true],
  ['any account of a namespace', { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform-system', name: '*' } }, account, true],
  ['any account of another namespace', { kind: 'ServiceAccount', serviceAccount: { namespace: 'platform', name: '*' } }, account, false],
  ['nobody', {}, user, false],
])('%s', (_, subject, asking, expected) => {
  expect(falls(everything, pods(), subject, asking)).toBe(expected);
});

it('looks at the lowest precedence first, and at equal ones by name', () => {
  const of = (name: string, precedence: number) => schema(name, precedence, ofUser, everything);
  expect(new Classification([of('c', 5), of('b', 3), of('a', 3), of('d', 9)]).find(user, pods())?.name).toBe('a');
});
