/**
 * For every kind of rule that compares names: the decision must not depend on the spelling in the rule, in the
 * request or in the object.
 */
import fc from 'fast-check';
import { compileLabelSelector } from '../../shared/api/selectors/label-selector';
import { STORED_KINDS } from '../../shared/api/kinds';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
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
import { arbitraryDialect, arbitraryParts, spellNames, type SpelledNames } from '../../test/support/objects/spelled-names';
import { parseCountedResource } from '../../shared/quota/counted-resource';
import { readRule as readMatchRule, ruleMatches } from '../admission/matching/rules';
import { nodeSelectorSettings } from '../admission/plugins/scheduling/pod-node-selector';
import { readPolicyLabels } from '../admission/plugins/pod-security/policy';
import { podSecuritySettings } from '../admission/plugins/pod-security/settings';
import { compilePolicy } from '../audit/policy';
import { canonicalUser } from '../authentication/union';
import { abacAuthorizer } from '../authorization/abac';
import type { Attributes } from '../authorization/authorizer';
import { allowsObject, allowsPath, ruleCovers, breakdownRule, readRule } from '../authorization/rbac/rule';
import { readFlowSchema } from '../flow-control/flow-schema';
import { selectionFor } from '../registry/read/selection';

/** Names that none of the rules mention. */
const OTHER_NAMES: SpelledNames = {
  group: 'a.example.com',
  namespace: 'other',
  user: 'ann',
  userGroup: 'devs',
  qualified: 'example.com/x',
  path: '/x',
};

/**
 * Requests that contain the names, after their paths, bodies and credentials have been parsed by a server with the
 * generated names.
 */
function requestsWith(generatedNames: GeneratedNames, { group, namespace, user, userGroup, path }: SpelledNames) {
  const canonicalName = canonicalNamespace(generatedNames, namespace);
  const getThing = { kind: 'resource', verb: 'get', version: 'v1', resource: 'things', subresource: '', name: 'x' } as const;
  return {
    generatedNames,
    requester: canonicalUser({ name: user, groups: [userGroup] }, generatedNames),
    /** For an object of the group in the namespace. */
    ofObject: { ...getThing, group: canonicalGroup(group), namespace: canonicalName },
    /** For the Namespace itself. */
    ofNamespace: { ...getThing, group: '', resource: 'namespaces', namespace: '', name: canonicalName },
    ofPath: { kind: 'path', verb: 'get', path } as const,
  };
}

type Requests = ReturnType<typeof requestsWith>;
/** Whether a rule that contains the names of `rule` applies to the requests. */
type Applies = (rule: SpelledNames, requests: Requests) => boolean;

/** An RBAC rule that allows everything apart from what its members restrict. */
const rbacRule = (members: Readonly<Record<string, string[]>>): ReturnType<typeof readRule> =>
  readRule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], ...members });

const ABAC_ALL_RESOURCES = { resource: '*', apiGroup: '*', namespace: '*' };

function abacAllows(spec: object, { requester }: Requests, attributes: Attributes): boolean {
  const policy = { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec };
  const decision = abacAuthorizer('policy-file', JSON.stringify(policy)).authorize(requester, attributes);
  return 'type' in decision && decision.type === 'allow';
}

function auditRuleApplies(rule: object, { generatedNames, requester }: Requests, attributes: Attributes): boolean {
  const levelFor = compilePolicy({ rules: [{ level: 'Metadata', ...rule }] }, generatedNames);
  return levelFor(requester, attributes).level === 'Metadata';
}

const userSubject = (name: string) => ({ kind: 'User', user: { name } });
const groupSubject = (name: string) => ({ kind: 'Group', group: { name } });
const ANY_USER = groupSubject('*');
const ANY_RESOURCE = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };

/** `rules` are the `resourceRules` or `nonResourceRules` of the FlowSchema. */
function flowSchemaApplies(subject: object, rules: object, { generatedNames, requester }: Requests, attributes: Attributes): boolean {
  const flowSchema = readFlowSchema({ spec: { rules: [{ subjects: [subject], ...rules }] } }, generatedNames);
  return flowSchema.rulesFor(requester)?.some((matches) => matches(attributes)) ?? false;
}

/** By the kind of rule and the kind of name that it contains. */
const RULES: Readonly<Record<string, Applies>> = {
  'RBAC group': ({ group }, { ofObject }) => allowsObject(rbacRule({ apiGroups: [group] }), ofObject),
  'RBAC resourceNames of Namespaces': ({ namespace }, { ofNamespace }) =>
    allowsObject(rbacRule({ resources: ['namespaces'], resourceNames: [namespace] }), ofNamespace),
  'RBAC path': ({ path }, { ofPath }) => allowsPath(rbacRule({ nonResourceURLs: [path] }), ofPath),
  'RBAC path pattern': ({ path }, { ofPath }) => allowsPath(rbacRule({ nonResourceURLs: [`${path.slice(0, -1)}*`] }), ofPath),
  'ABAC user': ({ user }, requests) => abacAllows({ user, ...ABAC_ALL_RESOURCES }, requests, requests.ofObject),
  'ABAC group of users': ({ userGroup }, requests) => abacAllows({ group: userGroup, ...ABAC_ALL_RESOURCES }, requests, requests.ofObject),
  'ABAC namespace': ({ namespace }, requests) => abacAllows({ user: '*', ...ABAC_ALL_RESOURCES, namespace }, requests, requests.ofObject),
  'ABAC API group': ({ group }, requests) => abacAllows({ user: '*', ...ABAC_ALL_RESOURCES, apiGroup: group }, requests, requests.ofObject),
  'ABAC path': ({ path }, requests) => abacAllows({ user: '*', nonResourcePath: path }, requests, requests.ofPath),
  'audit policy user': ({ user }, requests) => auditRuleApplies({ users: [user] }, requests, requests.ofObject),
  'audit policy group of users': ({ userGroup }, requests) => auditRuleApplies({ userGroups: [userGroup] }, requests, requests.ofPath),
  'audit policy namespace': ({ namespace }, requests) => auditRuleApplies({ namespaces: [namespace] }, requests, requests.ofObject),
  'audit policy API group': ({ group }, requests) => auditRuleApplies({ resources: [{ group }] }, requests, requests.ofObject),
  'audit policy resourceNames': ({ namespace }, requests) =>
    auditRuleApplies({ resources: [{ group: '', resources: ['namespaces'], resourceNames: [namespace] }] }, requests, requests.ofNamespace),
  'audit policy path': ({ path }, requests) => auditRuleApplies({ nonResourceURLs: [path] }, requests, requests.ofPath),
  'FlowSchema user': ({ user }, requests) =>
    flowSchemaApplies(userSubject(user), { resourceRules: [ANY_RESOURCE] }, requests, requests.ofObject),
  'FlowSchema group of users': ({ userGroup }, requests) =>
    flowSchemaApplies(groupSubject(userGroup), { resourceRules: [ANY_RESOURCE] }, requests, requests.ofObject),
  'FlowSchema API group': ({ group }, requests) =>
    flowSchemaApplies(ANY_USER, { resourceRules: [{ ...ANY_RESOURCE, apiGroups: [group] }] }, requests, requests.ofObject),
  'FlowSchema namespace': ({ namespace }, requests) =>
    flowSchemaApplies(ANY_USER, { resourceRules: [{ ...ANY_RESOURCE, namespaces: [namespace] }] }, requests, requests.ofObject),
  'FlowSchema path': ({ path }, requests) =>
    flowSchemaApplies(ANY_USER, { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: [path] }] }, requests, requests.ofPath),
  'rule of a webhook or policy': ({ group }, { ofObject }) =>
    ruleMatches(readMatchRule({ operations: ['*'], apiGroups: [group], apiVersions: ['*'], resources: ['*'] }), {
      ...ofObject,
      operation: 'CREATE',
    }),
  'PodSecurity exemption of a namespace': ({ namespace }, { ofObject }) =>
    podSecuritySettings({ exemptions: { namespaces: [namespace] } }).exemptions.namespaces.has(ofObject.namespace),
  'PodSecurity exemption of a user': ({ user }, requests) =>
    podSecuritySettings({ exemptions: { usernames: [user] } }).exemptions.usernames.has(requests.requester.name),
  'PodNodeSelector of a namespace': ({ namespace }, { ofObject }) =>
    nodeSelectorSettings({ podNodeSelectorPluginConfig: { [namespace]: 'a=b' } }).allowedByNamespace.get(ofObject.namespace) !== undefined,
};

test.each(Object.entries(RULES))('%s matches requests in either spelling, and no others', (_title, applies) => {
  fc.assert(
    fc.property(
      arbitraryParts,
      arbitraryDialect,
      arbitraryDialect,
      arbitraryDialect,
      (parts, clusterDialect, ruleDialect, requestDialect) => {
        const generatedNames = GENERATED_NAMES[clusterDialect];
        const rule = spellNames(ruleDialect, parts);
        const requests = requestsWith(generatedNames, spellNames(requestDialect, parts));
        expect(applies(rule, requests)).toBe(true);
        expect(applies(rule, requestsWith(generatedNames, OTHER_NAMES))).toBe(false);
      },
    ),
    { numRuns: 60 },
  );
});

const NAMESPACE_LABEL = 'platform.io/metadata.name';

test('a label selector matches both spellings of its keys and, for keys of the product, of its values', () => {
  fc.assert(
    fc.property(
      arbitraryParts,
      arbitraryDialect,
      arbitraryDialect,
      fc.constantFrom('In', 'NotIn'),
      (parts, selectorDialect, objectDialect, operator) => {
        const inSelector = spellNames(selectorDialect, parts);
        const inObject = spellNames(objectDialect, parts);
        const key = qualifiedNameInDialect(selectorDialect, NAMESPACE_LABEL);
        const label = qualifiedNameInDialect(objectDialect, NAMESPACE_LABEL);
        const selects = compileSelector({ matchExpressions: [{ key, operator, values: ['x', inSelector.namespace] }] });
        expect(selects({ [label]: inObject.namespace })).toBe(operator === 'In');
        expect(selects({ [label]: OTHER_NAMES.namespace })).toBe(operator !== 'In');
        expect(compileSelector({ matchLabels: { [inSelector.qualified]: 'v' } })({ [inObject.qualified]: 'v' })).toBe(true);
      },
    ),
  );
});

function compileSelector(selector: JsonObject): ReturnType<typeof compileLabelSelector> {
  return compileLabelSelector(requirementsOfSelector(selector));
}

test.each([
  ['Secret', 'type', 'kubernetes.io/tls', { type: 'platform.io/tls' }],
  ['CertificateSigningRequest', 'spec.signerName', 'platform.io/kubelet-serving', { 'spec.signerName': 'kubernetes.io/kubelet-serving' }],
])('a field selector for a %s matches both spellings of %s', (kind, field, value, fields) => {
  const storedKind = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (storedKind === undefined) throw new Error(`unknown kind ${kind}`);
  const { matches } = selectionFor(storedKind, '', `${field}=${value}`);
  expect(matches({ key: 'a/b', revision: 1, bytes: Buffer.alloc(0), labels: {}, fields, isDialectSensitive: false })).toBe(true);
});

test('a ResourceQuota counts both spellings of a resource under one name', () => {
  for (const stem of GROUP_STEMS) {
    const groups = DIALECTS.map((dialect) => groupInDialect(dialect, `${stem}.platform.io`));
    const [first, second] = groups.map((group) => parseCountedResource(`count/things.${group}`));
    expect(first).toEqual(second);
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
    fc.property(arbitraryParts, arbitraryDialect, arbitraryDialect, (parts, heldDialect, requestedDialect) => {
      const rulesIn = (dialect: Dialect): readonly ReturnType<typeof readRule>[] => {
        const { group, namespace, path, qualified } = spellNames(dialect, parts);
        return [
          rbacRule({ apiGroups: [group], resources: ['namespaces', `userextras/${qualified}`], resourceNames: [namespace] }),
          readRule({ verbs: ['get'], nonResourceURLs: [path] }),
        ];
      };
      const heldRules = rulesIn(heldDialect);
      const requestedRules = rulesIn(requestedDialect).flatMap((rule) => [...breakdownRule(rule)]);
      for (const requested of requestedRules) expect(heldRules.some((held) => ruleCovers(held, requested))).toBe(true);
    }),
  );
});
