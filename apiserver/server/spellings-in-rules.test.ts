/**
 * For every kind of rule that compares names: the decision must not depend on the spelling in the rule, in the
 * request or in the object.
 */
import fc from 'fast-check';
import type { UserInfo } from '../../shared/api/identity/user';
import { compileLabelSelector } from '../../shared/api/selectors/label-selector';
import { STORED_KINDS } from '../../shared/api/kinds';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import { CostBudget, compileExpression, type Type } from '../../shared/expression/engine';
import { untypedValue } from '../../shared/expression/untyped-json';
import {
  canonicalGroup,
  canonicalNamespace,
  DIALECTS,
  GENERATED_NAMES,
  groupInDialect,
  GROUP_STEMS,
  qualifiedNameInDialect,
  type Dialect,
  type GeneratedNames,
} from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { parseCountedResource } from '../../shared/quota/counted-resource';
import { readRule as readMatchRule, ruleMatches } from '../admission/matching/rules';
import { nodeSelectorSettings } from '../admission/plugins/scheduling/pod-node-selector';
import { readPolicyLabels } from '../admission/plugins/pod-security/policy';
import { podSecuritySettings } from '../admission/plugins/pod-security/settings';
import { compilePolicy } from '../audit/policy';
import { canonicalUser } from '../authentication/union';
import { abacAuthorizer } from '../authorization/abac';
import { allowsObject, allowsPath, ruleCovers, breakdownRule, readRule } from '../authorization/rbac/rule';
import { readFlowSchema } from '../flow-control/flow-schema';
import { selectionFor } from '../registry/read/selection';

/** Names as one dialect spells them. */
interface Spelled {
  readonly group: string;
  readonly namespace: string;
  readonly user: string;
  readonly userGroup: string;
  readonly qualified: string;
  readonly path: string;
}

const spelled = (dialect: Dialect, { stem, namespaceIndex, name }: { stem: string; namespaceIndex: number; name: string }): Spelled => {
  const { systemNamespace, publicNamespace, nodeLeaseNamespace } = GENERATED_NAMES[dialect];
  const namespace = [systemNamespace, publicNamespace, nodeLeaseNamespace][namespaceIndex] ?? systemNamespace;
  const group = groupInDialect(dialect, `${stem}.platform.io`);
  return {
    group,
    namespace,
    user: `system:serviceaccount:${namespace}:${name}`,
    userGroup: `system:serviceaccounts:${namespace}`,
    qualified: qualifiedNameInDialect(dialect, `platform.io/${name}`),
    path: `/apis/${group}/v1`,
  };
};

const OTHERS: Spelled = {
  group: 'a.example.com',
  namespace: 'other',
  user: 'ann',
  userGroup: 'devs',
  qualified: 'example.com/x',
  path: '/x',
};

/** A request that contains the names, after its path, body and credentials have been parsed. */
const requestIn = (names: GeneratedNames, { group, namespace, user, userGroup, path }: Spelled) => {
  const stored = canonicalNamespace(names, namespace);
  const resource = { kind: 'resource', verb: 'get', version: 'v1', resource: 'things', subresource: '', name: 'x' } as const;
  return {
    user: canonicalUser({ name: user, groups: [userGroup] }, names),
    resource: { ...resource, group: canonicalGroup(group), namespace: stored },
    named: { ...resource, group: '', resource: 'namespaces', namespace: '', name: stored },
    path: { kind: 'path', verb: 'get', path } as const,
  };
};

type Request = ReturnType<typeof requestIn>;
type Applies = (rule: Spelled, request: Request, names: GeneratedNames) => boolean;

const flow = (
  subject: object,
  rules: object,
  { user, resource, path }: Request,
  names: GeneratedNames,
  kind: 'resource' | 'path',
): boolean =>
  readFlowSchema({ spec: { rules: [{ subjects: [subject], ...rules }] } }, names)
    .rulesFor(user)
    ?.some((matches) => matches(kind === 'path' ? path : resource)) ?? false;
const ANYBODY = { kind: 'Group', group: { name: '*' } };
const ANYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
const abac = (spec: object, user: UserInfo, about: Parameters<ReturnType<typeof abacAuthorizer>['authorize']>[1]): boolean => {
  const policy = { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec };
  const decision = abacAuthorizer('f', JSON.stringify(policy)).authorize(user, about);
  return 'type' in decision && decision.type === 'allow';
};
const audited = (rule: object, names: GeneratedNames, ...request: Parameters<ReturnType<typeof compilePolicy>>): boolean =>
  compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, names)(...request).level === 'Metadata';
const ALL_RESOURCES = { resource: '*', apiGroup: '*', namespace: '*' };
const rbac = (rule: Readonly<Record<string, string[]>>): ReturnType<typeof readRule> =>
  readRule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], ...rule });

const RULES: Readonly<Record<string, Applies>> = {
  'RBAC group': ({ group }, { resource }) => allowsObject(rbac({ apiGroups: [group] }), resource),
  'RBAC resourceNames of Namespaces': ({ namespace }, { named }) =>
    allowsObject(rbac({ resources: ['namespaces'], resourceNames: [namespace] }), named),
  'RBAC path': ({ path }, request) => allowsPath(rbac({ nonResourceURLs: [path] }), request.path),
  'RBAC path pattern': ({ path }, request) => allowsPath(rbac({ nonResourceURLs: [`${path.slice(0, -1)}*`] }), request.path),
  'ABAC user': ({ user }, request) => abac({ user, ...ALL_RESOURCES }, request.user, request.resource),
  'ABAC group of users': ({ userGroup }, request) => abac({ group: userGroup, ...ALL_RESOURCES }, request.user, request.resource),
  'ABAC namespace': ({ namespace }, request) => abac({ user: '*', ...ALL_RESOURCES, namespace }, request.user, request.resource),
  'ABAC API group': ({ group }, request) => abac({ user: '*', ...ALL_RESOURCES, apiGroup: group }, request.user, request.resource),
  'ABAC path': ({ path }, request) => abac({ user: '*', nonResourcePath: path }, request.user, request.path),
  'audit policy user': ({ user }, request, names) => audited({ users: [user] }, names, request.user, request.resource),
  'audit policy group of users': ({ userGroup }, request, names) => audited({ userGroups: [userGroup] }, names, request.user, request.path),
  'audit policy namespace': ({ namespace }, request, names) => audited({ namespaces: [namespace] }, names, request.user, request.resource),
  'audit policy API group': ({ group }, request, names) => audited({ resources: [{ group }] }, names, request.user, request.resource),
  'audit policy resourceNames': ({ namespace }, request, names) =>
    audited({ resources: [{ group: '', resources: ['namespaces'], resourceNames: [namespace] }] }, names, request.user, request.named),
  'audit policy path': ({ path }, request, names) => audited({ nonResourceURLs: [path] }, names, request.user, request.path),
  'FlowSchema user': ({ user }, request, names) =>
    flow({ kind: 'User', user: { name: user } }, { resourceRules: [ANYTHING] }, request, names, 'resource'),
  'FlowSchema group of users': ({ userGroup }, request, names) =>
    flow({ kind: 'Group', group: { name: userGroup } }, { resourceRules: [ANYTHING] }, request, names, 'resource'),
  'FlowSchema API group': ({ group }, request, names) =>
    flow(ANYBODY, { resourceRules: [{ ...ANYTHING, apiGroups: [group] }] }, request, names, 'resource'),
  'FlowSchema namespace': ({ namespace }, request, names) =>
    flow(ANYBODY, { resourceRules: [{ ...ANYTHING, namespaces: [namespace] }] }, request, names, 'resource'),
  'FlowSchema path': ({ path }, request, names) =>
    flow(ANYBODY, { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: [path] }] }, request, names, 'path'),
  'rule of a webhook or policy': ({ group }, { resource }) =>
    ruleMatches(readMatchRule({ operations: ['*'], apiGroups: [group], apiVersions: ['*'], resources: ['*'] }), {
      ...resource,
      operation: 'CREATE',
    }),
  'PodSecurity exemption of a namespace': ({ namespace }, { resource }) =>
    podSecuritySettings({ exemptions: { namespaces: [namespace] } }).exemptions.namespaces.has(resource.namespace),
  'PodSecurity exemption of a user': ({ user }, request) =>
    podSecuritySettings({ exemptions: { usernames: [user] } }).exemptions.usernames.has(request.user.name),
  'PodNodeSelector of a namespace': ({ namespace }, { resource }) =>
    nodeSelectorSettings({ podNodeSelectorPluginConfig: { [namespace]: 'a=b' } }).allowedByNamespace.get(resource.namespace) !== undefined,
};

const seeds = fc.record({
  stem: fc.constantFrom(...GROUP_STEMS),
  namespaceIndex: fc.integer({ min: 0, max: 2 }),
  name: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
});
const dialects = fc.constantFrom(...DIALECTS);

test.each(Object.entries(RULES))('%s matches requests in either spelling, and no others', (_title, applies) => {
  fc.assert(
    fc.property(seeds, dialects, dialects, dialects, (seed, naming, ofRule, ofRequest) => {
      const names = GENERATED_NAMES[naming];
      const rule = spelled(ofRule, seed);
      expect(applies(rule, requestIn(names, spelled(ofRequest, seed)), names)).toBe(true);
      expect(applies(rule, requestIn(names, OTHERS), names)).toBe(false);
    }),
    { numRuns: 60 },
  );
});

const OBJECT: Type = { kind: 'dyn' };

function evaluate(expression: string, object: JsonObject): unknown {
  const compiled = compileExpression(expression, new Map([['object', OBJECT]]));
  if ('error' in compiled) throw new Error(compiled.error);
  return compiled.evaluate(new Map([['object', untypedValue(object)]]), 1_000_000, new CostBudget(1_000_000));
}

test.each([
  ['equality', (name: string) => `object.name == '${name}'`],
  ['a member of a list', (name: string) => `'${name}' in object.list`],
  ['a constant list', (name: string) => `object.name in ['x', '${name}']`],
  ['a key of a map', (name: string) => `'${name}' in object.map && object.map['${name}'] == 'v' && object.map[?'${name}'].hasValue()`],
  ['a key of a constant map', (name: string) => `{'${name}': 1}[object.name] == 1`],
  ['a macro over keys', (name: string) => `object.map.exists(key, key == '${name}')`],
  ['a beginning', (name: string) => `object.name.startsWith('${name.slice(0, -1)}')`],
  ['an end', (name: string) => `object.name.endsWith('${name.slice(1)}')`],
  ['a part', (name: string) => `object.name.contains('${name.slice(1, -1)}')`],
  ['a pattern', (name: string) => `object.name.matches('^${name}$')`],
  ['sets', (name: string) => `sets.contains(object.list, ['${name}']) && object.list.indexOf('${name}') == 0`],
])('a CEL expression matches a name in either spelling: %s', (_title, expression) => {
  fc.assert(
    fc.property(
      seeds,
      dialects,
      dialects,
      fc.constantFrom<keyof Spelled>('group', 'namespace', 'user', 'qualified'),
      (seed, ofRule, ofObject, member) => {
        const name = spelled(ofObject, seed)[member];
        const text = expression(spelled(ofRule, seed)[member]);
        expect(evaluate(text, { name, list: [name], map: { [name]: 'v' } })).toBe(true);
        expect(evaluate(text, { name: 'zz', list: ['zz'], map: { zz: 'v' } })).not.toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["object.type != 'kubernetes.io/service-account-token'", { type: 'platform.io/service-account-token' }],
  ["object.type != 'platform.io/service-account-token'", { type: 'kubernetes.io/service-account-token' }],
  ["!object.namespace.startsWith('kube-')", { namespace: 'platform-system' }],
  ["object.request.namespace != 'kube-system'", { request: { namespace: 'platform-system' } }],
  ["object.group != 'rbac.authorization.k8s.io'", { group: 'rbac.authorization.platform.io' }],
  ["!object.type.split('/')[0].endsWith('kubernetes.io')", { type: 'platform.io/tls' }],
  ["object.type.find('^kubernetes[.]io/') == ''", { type: 'platform.io/tls' }],
  ["object.type.find('^platform[.]io/') == ''", { type: 'kubernetes.io/tls' }],
  ["object.type.findAll('^kubernetes[.]io/') == []", { type: 'platform.io/tls' }],
  ["object.type.findAll('kubernetes', 1).size() == 0", { type: 'platform.io/tls' }],
])('the CEL expression %s is false for %j', (expression, object) => expect(evaluate(expression, object)).toBe(false));

test('a label selector matches both spellings of its keys and, for keys of the product, of its values', () => {
  fc.assert(
    fc.property(seeds, dialects, dialects, fc.constantFrom('In', 'NotIn'), (seed, ofRule, ofObject, operator) => {
      const rule = spelled(ofRule, seed);
      const object = spelled(ofObject, seed);
      const key = (dialect: Dialect): string => qualifiedNameInDialect(dialect, 'platform.io/metadata.name');
      const selects = compileLabelSelector(
        requirementsOfSelector({ matchExpressions: [{ key: key(ofRule), operator, values: ['x', rule.namespace] }] }),
      );
      expect(selects({ [key(ofObject)]: object.namespace })).toBe(operator === 'In');
      expect(selects({ [key(ofObject)]: OTHERS.namespace })).toBe(operator !== 'In');
      expect(compileLabelSelector(requirementsOfSelector({ matchLabels: { [rule.qualified]: 'v' } }))({ [object.qualified]: 'v' })).toBe(
        true,
      );
    }),
  );
});

test.each([
  ['Secret', 'type', 'kubernetes.io/tls', { type: 'platform.io/tls' }],
  ['CertificateSigningRequest', 'spec.signerName', 'platform.io/kubelet-serving', { 'spec.signerName': 'kubernetes.io/kubelet-serving' }],
])('a field selector for a %s matches both spellings of %s', (kind, field, value, fields) => {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  const { matches } = selectionFor(row, '', `${field}=${value}`);
  expect(matches({ key: 'a/b', revision: 1, bytes: Buffer.alloc(0), labels: {}, fields, isDialectSensitive: false })).toBe(true);
});

test('a ResourceQuota counts both spellings of a resource under one name', () => {
  for (const stem of GROUP_STEMS) {
    const [a, b] = DIALECTS.map((dialect) => parseCountedResource(`count/things.${groupInDialect(dialect, `${stem}.platform.io`)}`));
    expect(a).toEqual(b);
  }
  expect(parseCountedResource('c.storageclass.storage.k8s.io/requests.storage')).toEqual(
    parseCountedResource('c.storageclass.storage.platform.io/requests.storage'),
  );
});

test('PodSecurity applies the stricter value when a stored namespace has both spellings of a label', () => {
  // From the weakest to the strictest; a value that is no level counts as the strictest.
  const levels = ['privileged', 'baseline', 'restricted', 'misspelt'];
  const keys = DIALECTS.map((dialect) => qualifiedNameInDialect(dialect, 'pod-security.platform.io/enforce'));
  for (const [index, weaker] of levels.entries())
    for (const stricter of levels.slice(index))
      // In either order of the members of the label object.
      for (const [first = '', second = ''] of [keys, [...keys].reverse()]) {
        const expected = readPolicyLabels({ [first]: stricter }).policy;
        expect(readPolicyLabels({ [first]: weaker, [second]: stricter }).policy).toEqual(expected);
        expect(readPolicyLabels({ [first]: stricter, [second]: weaker }).policy).toEqual(expected);
      }
});

test('RBAC rules in one spelling cover the same rules in the other', () => {
  fc.assert(
    fc.property(seeds, dialects, dialects, (seed, held, matches) => {
      const rulesIn = (dialect: Dialect): readonly ReturnType<typeof readRule>[] => {
        const { group, namespace, path, qualified } = spelled(dialect, seed);
        return [
          rbac({ apiGroups: [group], resources: ['namespaces', `userextras/${qualified}`], resourceNames: [namespace] }),
          readRule({ verbs: ['get'], nonResourceURLs: [path] }),
        ];
      };
      const [resources, paths] = rulesIn(held);
      for (const part of rulesIn(matches).flatMap((rule) => [...breakdownRule(rule)]))
        expect([resources, paths].some((rule) => rule !== undefined && ruleCovers(rule, part))).toBe(true);
    }),
  );
});
