/** Flow schemas and priority levels: what is asked of the reference server. */
import { apiVersionIn } from '../../../shared/names/dialect';
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const apiVersion = apiVersionIn('kubernetes', 'flowcontrol.apiserver.platform.io/v1');

const resources = (members: Body = {}): Body => ({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], ...members });
const paths = (members: Body = {}): Body => ({ verbs: ['*'], nonResourceURLs: ['*'], ...members });
const user = (name: Json = 'u'): Body => ({ kind: 'User', user: { name } });
const group = (name: Json = 'g'): Body => ({ kind: 'Group', group: { name } });
const account = (members: Body = {}): Body => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'a', ...members } });
const rule = (members: Body = {}): Body => ({ subjects: [user()], resourceRules: [resources()], ...members });
const schema = (members: Body = {}): Body => ({
  spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 50, rules: [rule()], ...members },
});
const ruled = (...rules: Json[]): Body => schema({ rules });
const ofResources = (members: Body): Body => ruled(rule({ resourceRules: [resources(members)] }));
const ofPaths = (members: Body): Body => ruled({ subjects: [user()], nonResourceRules: [paths(members)] });
const ofSubjects = (...subjects: Json[]): Body => ruled(rule({ subjects }));

export const FLOW_SCHEMAS: KindCases = {
  resource: 'flowschemas',
  kind: 'FlowSchema',
  apiVersion,
  namespaced: false,
  isRestless: true,
  base: schema(),
  bodies: {
    plain: schema(),
    'no spec': {},
    'no level': schema({ priorityLevelConfiguration: {} }),
    'a malformed level': schema({ priorityLevelConfiguration: { name: 'A_b' } }),
    'a level that is not there': schema({ priorityLevelConfiguration: { name: 'nowhere' } }),
    'no precedence': { spec: { priorityLevelConfiguration: { name: 'global-default' }, rules: [rule()] } },
    'precedence 0': schema({ matchingPrecedence: 0 }),
    'precedence below': schema({ matchingPrecedence: -1 }),
    'precedence 1': schema({ matchingPrecedence: 1 }),
    'precedence 2': schema({ matchingPrecedence: 2 }),
    'the highest precedence': schema({ matchingPrecedence: 10_000 }),
    'precedence above': schema({ matchingPrecedence: 10_001 }),
    'by user': schema({ distinguisherMethod: { type: 'ByUser' } }),
    'by namespace': schema({ distinguisherMethod: { type: 'ByNamespace' } }),
    'by nothing': schema({ distinguisherMethod: {} }),
    'by something': schema({ distinguisherMethod: { type: 'ByMoon' } }),
    'no rules': schema({ rules: [] }),
    'null rules': schema({ rules: null }),
    'an empty rule': ruled({}),
    'no subjects': ruled({ resourceRules: [resources()] }),
    'empty subjects': ruled(rule({ subjects: [] })),
    'subjects alone': ruled({ subjects: [user()] }),
    'a user and a group': ofSubjects(user(), group()),
    'any user': ofSubjects(user('*')),
    'any group': ofSubjects(group('*')),
    'a user without a name': ofSubjects(user('')),
    'a group without a name': ofSubjects(group('')),
    'a user that is not said': ofSubjects({ kind: 'User' }),
    'a group that is not said': ofSubjects({ kind: 'Group' }),
    'an account that is not said': ofSubjects({ kind: 'ServiceAccount' }),
    'a user with a group': ofSubjects({ kind: 'User', user: { name: 'u' }, group: { name: 'g' } }),
    'a group with a user': ofSubjects({ kind: 'Group', user: { name: 'u' }, group: { name: 'g' } }),
    'an account with a user': ofSubjects({ ...account(), user: { name: 'u' } }),
    'an unknown kind of subject': ofSubjects({ kind: 'Pod', user: { name: 'u' } }),
    'no kind of subject': ofSubjects({ user: { name: 'u' } }),
    'an account': ofSubjects(account()),
    'any account': ofSubjects(account({ name: '*' })),
    'an account without a name': ofSubjects(account({ name: '' })),
    'an account without a namespace': ofSubjects(account({ namespace: '' })),
    'an account of any namespace': ofSubjects(account({ namespace: '*' })),
    'an account with a malformed name': ofSubjects(account({ name: 'A_b' })),
    'an account with a malformed namespace': ofSubjects(account({ namespace: 'A_b' })),
    'no verbs': ofResources({ verbs: [] }),
    'no groups': ofResources({ apiGroups: [] }),
    'no resources': ofResources({ resources: [] }),
    'no namespaces': ofResources({ namespaces: [] }),
    'the scope of the cluster': ofResources({ namespaces: [], clusterScope: true }),
    'a verb': ofResources({ verbs: ['get', 'list'] }),
    'an unknown verb': ofResources({ verbs: ['peek'] }),
    'an empty verb': ofResources({ verbs: [''] }),
    'any verb and another': ofResources({ verbs: ['*', 'get'] }),
    'any group and another': ofResources({ apiGroups: ['*', 'apps'] }),
    'any resource and another': ofResources({ resources: ['*', 'pods'] }),
    'any namespace and another': ofResources({ namespaces: ['*', 'ns'] }),
    'a malformed namespace': ofResources({ namespaces: ['A_b'] }),
    'an empty namespace': ofResources({ namespaces: [''] }),
    'a subresource': ofResources({ resources: ['pods/status'] }),
    'an empty resource': ofResources({ resources: [''] }),
    paths: ofPaths({}),
    'a path': ofPaths({ nonResourceURLs: ['/healthz'] }),
    'paths below': ofPaths({ nonResourceURLs: ['/healthz/*'] }),
    'a star in a path': ofPaths({ nonResourceURLs: ['/a*b'] }),
    'two stars': ofPaths({ nonResourceURLs: ['/a/*/*'] }),
    'no slash': ofPaths({ nonResourceURLs: ['healthz'] }),
    'an empty path': ofPaths({ nonResourceURLs: [''] }),
    'a path with a space': ofPaths({ nonResourceURLs: ['/a b'] }),
    'two slashes': ofPaths({ nonResourceURLs: ['//a'] }),
    'the root': ofPaths({ nonResourceURLs: ['/'] }),
    'any path and another': ofPaths({ nonResourceURLs: ['*', '/a'] }),
    'no paths': ofPaths({ nonResourceURLs: [] }),
    'paths without verbs': ofPaths({ verbs: [] }),
    'paths with an unknown verb': ofPaths({ verbs: ['list'] }),
    'paths with verbs': ofPaths({ verbs: ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] }),
    'everything wrong': {
      metadata: { labels: { a: '-' } },
      spec: {
        priorityLevelConfiguration: { name: '%' },
        matchingPrecedence: -5,
        distinguisherMethod: { type: 'x' },
        rules: [{}, { subjects: [{}], resourceRules: [{}], nonResourceRules: [{}] }],
      },
    },
    'the name of an exempt one': { metadata: { name: 'exempt' }, ...schema() },
    'the name of the last one': { metadata: { name: 'catch-all' }, ...schema() },
  },
  changes: {
    'nothing changes': [schema(), schema()],
    'the precedence changes': [schema(), schema({ matchingPrecedence: 51 })],
    'the level changes': [schema(), schema({ priorityLevelConfiguration: { name: 'exempt' } })],
    'it becomes wrong': [schema(), schema({ matchingPrecedence: -1 })],
  },
  statuses: {
    dangling: { status: { conditions: [{ type: 'Dangling', status: 'True', reason: 'R', message: 'M', lastTransitionTime: null }] } },
    'a condition twice': {
      status: {
        conditions: [
          { type: 'Dangling', status: 'True' },
          { type: 'Dangling', status: 'False' },
        ],
      },
    },
    'a condition without a type': { status: { conditions: [{ status: 'True' }] } },
    'another condition': { status: { conditions: [{ type: 'Other', status: 'Maybe' }] } },
  },
};

const limited = (members: Body = {}): Body => ({ spec: { type: 'Limited', limited: members } });
const queuing = (members: Body = {}): Body => limited({ limitResponse: { type: 'Queue', queuing: members } });
const exempt = (members: Body = {}): Body => ({ spec: { type: 'Exempt', exempt: members } });

export const PRIORITY_LEVELS: KindCases = {
  resource: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  apiVersion,
  namespaced: false,
  base: limited({ limitResponse: { type: 'Reject' } }),
  bodies: {
    plain: limited({ limitResponse: { type: 'Reject' } }),
    'no spec': {},
    'no type': { spec: { limited: { limitResponse: { type: 'Reject' } } } },
    'an unknown type': { spec: { type: 'Some', limited: { limitResponse: { type: 'Reject' } } } },
    'limits that are not said': { spec: { type: 'Limited' } },
    'limits of nothing': limited(),
    exempt: exempt(),
    'exempt that is not said': { spec: { type: 'Exempt' } },
    'exempt with limits': { spec: { type: 'Exempt', exempt: {}, limited: { limitResponse: { type: 'Reject' } } } },
    'limits that are exempt': { spec: { type: 'Limited', exempt: {}, limited: { limitResponse: { type: 'Reject' } } } },
    'exempt with shares': exempt({ nominalConcurrencyShares: 5, lendablePercent: 50 }),
    'exempt below nothing': exempt({ nominalConcurrencyShares: -1, lendablePercent: -1 }),
    'exempt that lends too much': exempt({ lendablePercent: 101 }),
    'no response': limited({ limitResponse: {} }),
    'an unknown response': limited({ limitResponse: { type: 'Wait' } }),
    'refusing with queues': limited({ limitResponse: { type: 'Reject', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } } }),
    'queues that are not said': limited({ limitResponse: { type: 'Queue' } }),
    queues: queuing(),
    'queues of numbers': queuing({ queues: 16, handSize: 4, queueLengthLimit: 50 }),
    'no queues': queuing({ queues: 0, handSize: 4, queueLengthLimit: 50 }),
    'queues below nothing': queuing({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    'too many queues': queuing({ queues: 10_000_001, handSize: 1, queueLengthLimit: 1 }),
    'the most queues': queuing({ queues: 10_000_000, handSize: 1, queueLengthLimit: 1 }),
    'hands larger than the deck': queuing({ queues: 4, handSize: 5, queueLengthLimit: 1 }),
    'hands too large to shuffle': queuing({ queues: 10_000, handSize: 20, queueLengthLimit: 1 }),
    'hands of 16 of 16': queuing({ queues: 16, handSize: 16, queueLengthLimit: 1 }),
    'hands of 15 of 15': queuing({ queues: 15, handSize: 15, queueLengthLimit: 1 }),
    'hands of 9 of 102': queuing({ queues: 102, handSize: 9, queueLengthLimit: 1 }),
    'hands of 8 of 512': queuing({ queues: 512, handSize: 8, queueLengthLimit: 1 }),
    'hands of 10 of 128': queuing({ queues: 128, handSize: 10, queueLengthLimit: 1 }),
    'no length': queuing({ queues: 4, handSize: 1, queueLengthLimit: 0 }),
    'shares of 0': limited({ nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } }),
    'shares below nothing': limited({ nominalConcurrencyShares: -1, limitResponse: { type: 'Reject' } }),
    'lends all': limited({ lendablePercent: 100, limitResponse: { type: 'Reject' } }),
    'lends too much': limited({ lendablePercent: 101, limitResponse: { type: 'Reject' } }),
    'lends below nothing': limited({ lendablePercent: -1, limitResponse: { type: 'Reject' } }),
    borrows: limited({ borrowingLimitPercent: 50, limitResponse: { type: 'Reject' } }),
    'borrows nothing': limited({ borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } }),
    'borrows much': limited({ borrowingLimitPercent: 1000, limitResponse: { type: 'Reject' } }),
    'borrows below nothing': limited({ borrowingLimitPercent: -1, limitResponse: { type: 'Reject' } }),
    'everything wrong': {
      metadata: { labels: { a: '-' } },
      spec: {
        type: 'Limited',
        exempt: { nominalConcurrencyShares: -1 },
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'x', queuing: { queues: 1 } },
        },
      },
    },
    'the name of the exempt one': { metadata: { name: 'exempt' }, ...limited({ limitResponse: { type: 'Reject' } }) },
    'the name of the last one': { metadata: { name: 'catch-all' }, ...exempt() },
    'the last one with other shares': {
      metadata: { name: 'catch-all' },
      ...limited({ nominalConcurrencyShares: 7, limitResponse: { type: 'Reject' } }),
    },
  },
  changes: {
    'nothing changes': [queuing(), queuing()],
    'it is exempt now': [queuing(), exempt()],
    'it becomes wrong': [queuing(), queuing({ queues: -1 })],
  },
  statuses: {
    'a condition': { status: { conditions: [{ type: 'X', status: 'True', reason: 'R', message: 'M' }] } },
    'a condition twice': {
      status: {
        conditions: [
          { type: 'X', status: 'True' },
          { type: 'X', status: 'False' },
        ],
      },
    },
    'a condition without a type': { status: { conditions: [{ status: 'True' }] } },
  },
};
