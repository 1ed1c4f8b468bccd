import { readRule, ruleMatches, type RuleTarget } from './rules';

const POD: RuleTarget = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'n' };
const RULE = { operations: ['CREATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' };

it.each<[string, object, Partial<RuleTarget>, boolean]>([
  ['the operation', {}, { operation: 'DELETE' }, true],
  ['another operation', {}, { operation: 'UPDATE' }, false],
  ['every operation', { operations: ['*'] }, { operation: 'CONNECT' }, true],
  ['another group', {}, { group: 'apps' }, false],
  ['every group', { apiGroups: ['*'] }, { group: 'apps' }, true],
  ['a group in the other spelling', { apiGroups: ['events.k8s.io'] }, { group: 'events.platform.io' }, true],
  ['another version', {}, { version: 'v2' }, false],
  ['a part', {}, { subresource: 'status' }, false],
  ['the part', { resources: ['pods/status'] }, { subresource: 'status' }, true],
  ['the whole, where the part is named', { resources: ['pods/status'] }, {}, false],
  ['every part', { resources: ['pods/*'] }, { subresource: 'exec' }, true],
  ['a part of everything', { resources: ['*/scale'] }, { resource: 'deployments', subresource: 'scale' }, true],
  ['everything but parts', { resources: ['*'] }, { subresource: 'exec' }, false],
  ['everything', { resources: ['*/*'] }, { subresource: 'exec' }, true],
  ['namespaced', { scope: 'Namespaced' }, {}, true],
  ['of the cluster', { scope: 'Cluster' }, {}, false],
  ['a namespace is in none', { scope: 'Cluster', resources: ['namespaces'] }, { resource: 'namespaces' }, true],
  ['no rule at all', { operations: [] }, {}, false],
])('%s', (_title, rule, target, expected) => expect(ruleMatches(readRule({ ...RULE, ...rule }), { ...POD, ...target })).toBe(expected));
