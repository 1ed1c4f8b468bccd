/** Which requests the rules of webhooks and policies match. */
import { readRule, ruleMatches, type RuleTarget } from './rules';

const POD: RuleTarget = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'n' };
const RULE = { operations: ['CREATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' };

/** `rule` and `target` are changes of {@link RULE} and {@link POD}. */
it.each<[title: string, rule: object, target: Partial<RuleTarget>, isMatch: boolean]>([
  ['a rule matches a request of a listed operation', {}, { operation: 'DELETE' }, true],
  ['a rule does not match a request of an unlisted operation', {}, { operation: 'UPDATE' }, false],
  ['a rule with operations * matches every operation', { operations: ['*'] }, { operation: 'CONNECT' }, true],
  ['a rule does not match another API group', {}, { group: 'apps' }, false],
  ['a rule with apiGroups * matches every API group', { apiGroups: ['*'] }, { group: 'apps' }, true],
  ['a rule matches its API group in the other spelling', { apiGroups: ['events.k8s.io'] }, { group: 'events.platform.io' }, true],
  ['a rule does not match another API version', {}, { version: 'v2' }, false],
  ['a rule for pods does not match a subresource of pods', {}, { subresource: 'status' }, false],
  ['a rule for pods/status matches the status subresource', { resources: ['pods/status'] }, { subresource: 'status' }, true],
  ['a rule for pods/status does not match pods', { resources: ['pods/status'] }, {}, false],
  ['a rule for pods/* matches every subresource of pods', { resources: ['pods/*'] }, { subresource: 'exec' }, true],
  [
    'a rule for */scale matches the scale subresource of every resource',
    { resources: ['*/scale'] },
    { resource: 'deployments', subresource: 'scale' },
    true,
  ],
  ['a rule for * does not match a subresource', { resources: ['*'] }, { subresource: 'exec' }, false],
  ['a rule for */* matches a subresource', { resources: ['*/*'] }, { subresource: 'exec' }, true],
  ['a rule of scope Namespaced matches a namespaced request', { scope: 'Namespaced' }, {}, true],
  ['a rule of scope Cluster does not match a namespaced request', { scope: 'Cluster' }, {}, false],
  [
    'a rule of scope Cluster matches a request for a Namespace',
    { scope: 'Cluster', resources: ['namespaces'] },
    { resource: 'namespaces' },
    true,
  ],
  ['a rule without operations matches nothing', { operations: [] }, {}, false],
])('%s', (_title, rule, target, isMatch) => expect(ruleMatches(readRule({ ...RULE, ...rule }), { ...POD, ...target })).toBe(isMatch));
