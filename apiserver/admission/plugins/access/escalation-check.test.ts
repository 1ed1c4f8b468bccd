/** The escalation check of roles: what an author may grant, compared with what the author may do. */
import fc from 'fast-check';
import { GENERATED_NAMES } from '../../../../shared/names/dialect';
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest, type AdmissionRequestParts } from '../../../../test/support/objects/admission-request';
import { resourceAttributes } from '../../../../test/support/objects/attributes';
import { NON_MUTATING_PLUGINS } from '../../../../test/support/objects/non-mutating-plugins';
import { refusalStatus, openWriteFixture } from '../../../../test/support/store/write-fixture';
import { NO_OPINION, NO_RULES, type Attributes, type Authorizer } from '../../../authorization/authorizer';
import { rbacAuthorizer } from '../../../authorization/rbac/authorizer';
import { readBinding } from '../../../authorization/rbac/binding';
import { RbacPolicy } from '../../../authorization/rbac/policy';
import { readRule } from '../../../authorization/rbac/rule';
import { createDefaultAdmission } from '../default-admission';
import { escalationCheck, type EscalationDependencies } from './escalation-check';

const author = { name: 'u', groups: [] };
const NO_OPINION_AUTHORIZER: Authorizer = { authorize: () => NO_OPINION, rules: () => NO_RULES };

/** A policy in which the author has these rules in the whole cluster. */
function policyOf(rules: readonly JsonObject[]): RbacPolicy {
  const policy = new RbacPolicy();
  policy.setRole('', 'own', rules.map(readRule));
  const binding = { roleRef: { kind: 'ClusterRole', name: 'own' }, subjects: [{ kind: 'User', name: author.name }] };
  policy.setBinding('', 'own', readBinding('', 'own', binding, GENERATED_NAMES.platform));
  return policy;
}

const dependenciesWith = (policy: RbacPolicy): EscalationDependencies => ({
  policy,
  authorizer: NO_OPINION_AUTHORIZER,
  waitUntilCurrent: () => Promise.resolve(),
});

/** The message with which a role is rejected when its author holds the rules `held`; `undefined` when it is admitted. */
async function rejectionOf(
  held: readonly JsonObject[],
  object: JsonObject,
  changes: AdmissionRequestParts = {},
): Promise<string | undefined> {
  const plugin = escalationCheck(dependenciesWith(policyOf(held)));
  const attributes = admissionRequest({ kind: 'ClusterRole', namespace: '', user: author, object, ...changes });
  try {
    await plugin.mutate(attributes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('role escalation check', () => {
  it('yields to the event loop between the permissions that it compares', async () => {
    const plugin = escalationCheck(dependenciesWith(new RbacPolicy()));
    const resourceNames = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const verbs = ['get', 'list'];
    const rules = [{ verbs, apiGroups: [''], resources: ['pods'], resourceNames }];
    let requeues = 0;
    const requeue = async (): Promise<void> => void (requeues += 1);
    const context = { warn: () => undefined, isTurnOver: true, requeue };
    const attributes = admissionRequest({ kind: 'Role', object: { metadata: { name: 'r' }, rules }, context });
    expect(await refusalStatus(Promise.resolve(plugin.mutate(attributes)))).toMatchObject({ code: 403 });
    expect(requeues).toBeGreaterThanOrEqual(verbs.length * resourceNames.length);
  });

  /** One or two of the words. */
  const oneOrTwoOf = (...words: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...words], { minLength: 1, maxLength: 2 });

  const anyRules = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: resourceRule() },
      fc.record({ verbs: oneOrTwoOf('get', '*'), nonResourceURLs: oneOrTwoOf('*', '/*', '/x', '/x*', '/x/*', '/x/y') }),
    ),
    { maxLength: 3 },
  );

  function resourceRule(): fc.Arbitrary<JsonObject> {
    return fc.record({
      verbs: oneOrTwoOf('get', 'list', '*'),
      apiGroups: oneOrTwoOf('', 'apps', '*'),
      resources: oneOrTwoOf('pods', 'pods/', 'pods/log', 'secrets', '*', '*/', '*/log', 'pods/*'),
      resourceNames: fc.subarray(['', 'a', '*'], { maxLength: 2 }),
    });
  }

  /** Requests that cover all differences between the generated rules. */
  const REQUESTS: readonly Attributes[] = [
    ...['get', 'list', 'create'].flatMap((verb) =>
      ['', 'apps', 'other'].flatMap((group) =>
        ['pods', 'secrets', 'nodes'].flatMap((resource) =>
          ['', 'log', 'status'].flatMap((subresource) =>
            ['', 'a', 'b'].map((name) => resourceAttributes({ verb, group, resource, subresource, name, namespace: '' })),
          ),
        ),
      ),
    ),
    ...['get', 'post'].flatMap((verb) => ['/', '/x', '/xy', '/x/', '/x/y', '/z'].map((path) => ({ kind: 'path', verb, path }) as const)),
  ];

  it('admits no role that allows more than the rules of its author', async () => {
    let admittedRoles = 0;
    await fc.assert(
      fc.asyncProperty(anyRules, anyRules, async (held, given) => {
        if ((await rejectionOf(held, { metadata: { name: 'new' }, rules: given })) !== undefined) return;
        admittedRoles += 1;
        const heldAuthorizer = rbacAuthorizer(policyOf(held));
        const givenAuthorizer = rbacAuthorizer(policyOf(given));
        for (const request of REQUESTS) {
          const before = await heldAuthorizer.authorize(author, request);
          const after = await givenAuthorizer.authorize(author, request);
          // The rules and the request are compared with themselves so that a failure shows them.
          if (after.type === 'allow') expect([held, given, request, before.type]).toEqual([held, given, request, 'allow']);
        }
      }),
      { numRuns: 1_000 },
    );
    // Otherwise the property would hold for want of admitted roles.
    expect(admittedRoles).toBeGreaterThan(100);
  });

  it.each<[held: readonly string[] | undefined, given: readonly string[] | undefined, missing: string | undefined]>([
    [[''], undefined, '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
    [[''], [''], undefined],
    [['', 'a'], undefined, '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
    [[''], ['', 'x'], '{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get"]}'],
    [undefined, [''], undefined],
  ])('compares held resourceNames %j with requested resourceNames %j', async (held, given, missing) => {
    const rule = (names: readonly string[] | undefined): JsonObject => ({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['secrets'],
      ...(names === undefined ? {} : { resourceNames: [...names] }),
    });
    const message = await rejectionOf([rule(held)], { metadata: { name: 'new' }, rules: [rule(given)] });
    if (missing === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(`not currently held:\n${missing}`);
  });

  const SELECTING = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
  const metadata = { name: 'r' };

  it.each<[change: string, requires: 'requires' | 'does not require', object: JsonObject, oldObject: JsonObject | undefined]>([
    ['creating a role with an aggregationRule', 'requires', { metadata, ...SELECTING }, undefined],
    ['adding an aggregationRule', 'requires', { metadata, ...SELECTING }, { metadata }],
    ['removing an aggregationRule', 'requires', { metadata }, { metadata, ...SELECTING }],
    [
      'labelling an aggregated role',
      'requires',
      { metadata: { ...metadata, labels: { a: 'b' } }, ...SELECTING },
      { metadata, ...SELECTING },
    ],
    [
      'changing finalizers of an aggregated role',
      'does not require',
      { metadata: { ...metadata, finalizers: ['a.test/b'] }, ...SELECTING },
      { metadata, ...SELECTING },
    ],
    ['labelling a role without an aggregationRule', 'does not require', { metadata: { ...metadata, labels: { a: 'b' } } }, { metadata }],
  ])('with %s, %s every permission', async (_change, requires, object, oldObject) => {
    const change = { operation: oldObject === undefined ? 'CREATE' : 'UPDATE', oldObject } as const;
    const text = await rejectionOf([], object, change);
    expect(text?.includes('must have cluster-admin privileges to use the aggregationRule') ?? false).toBe(requires === 'requires');
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    expect(await rejectionOf(everything, object, change)).toBeUndefined();
  });

  it('runs on the role that a reinvoked webhook changed', async () => {
    const { clock, cache, random, resources } = await openWriteFixture();
    const admission = createDefaultAdmission(
      {
        names: GENERATED_NAMES.platform,
        random,
        clock,
        cache,
        resources,
        escalation: dependenciesWith(new RbacPolicy()),
        webhooks: {
          mutating: (reinvoke) => ({
            name: 'MutatingAdmissionWebhook',
            handles: () => true,
            async mutate(request) {
              await reinvoke(request);
              if (request.object !== undefined) request.object['rules'] = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
            },
          }),
          validating: { name: 'ValidatingAdmissionWebhook', handles: () => false, validate: () => undefined },
        },
      },
      NON_MUTATING_PLUGINS,
    );
    const attributes = admissionRequest({
      kind: 'ClusterRole',
      namespace: '',
      user: author,
      object: { metadata: { name: 'r' }, rules: [] },
    });
    expect(await refusalStatus(Promise.resolve(admission.mutate(attributes)))).toMatchObject({ code: 403 });
  });
});
