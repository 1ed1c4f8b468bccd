/** Compares the built-in roles and bindings with release 1.31.1, and tests their reconciliation. */
import { GENERATED_NAMES, canonicalGroup, systemNamespaces } from '../../../shared/names/dialect';
import { arrayAt, objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import type { Reconciler } from '../reconciler';
import { startDefaultRolesReconciler } from './default-roles-reconciler';
import { defaultObjects } from './default-objects';
import { reconcileActionFor } from './reconcile-action';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
/** The roles and bindings of a cluster of release 1.31.1. */
const recorded = readRecording('rbac/defaults', body, shape({ resource: text, namespace: text, name: text, object })).cases;

/** The object with its group names in canonical spelling, in which this server stores them. */
const inCanonicalGroups = (object: JsonObject): JsonValue =>
  JSON.parse(JSON.stringify(object), (member, value: unknown) => {
    if (member === 'apiGroup' && typeof value === 'string') return canonicalGroup(value);
    return member === 'apiGroups' && Array.isArray(value) ? value.map((group) => canonicalGroup(String(group))) : value;
  });

/** The permission to set load balancer addresses, which only this server checks. */
const ADDED_RULE: JsonObject = { verbs: ['update'], apiGroups: [''], resources: ['services/loadbalancer'] };
/** The role with that rule, as a key of `objectsByKey`: resource, empty namespace and name. */
const ROLE_WITH_ADDED_RULE = 'clusterroles  system:controller:service-controller';

it('default roles and bindings equal those of release 1.31.1, with one more rule of the service controller', () => {
  /** The objects by resource, namespace and name. */
  const objectsByKey = (objects: typeof recorded): JsonObject =>
    Object.fromEntries(
      objects.map(({ resource, namespace, name, object }) => [`${resource} ${namespace} ${name}`, inCanonicalGroups(object)]),
    );
  const ours = defaultObjects(GENERATED_NAMES.kubernetes).map(({ kind, namespace, name, object: defaultObject }) => ({
    resource: kind,
    namespace,
    name,
    // Another controller sets the rules of an aggregated role.
    object: { ...defaultObject, ...(objectAt(defaultObject, 'aggregationRule') === undefined ? {} : { rules: null }) },
  }));
  const expected = objectsByKey(recorded);
  const role = objectAt(expected, ROLE_WITH_ADDED_RULE);
  // The added rule is the third one.
  const rules = (arrayAt(role, 'rules') ?? []).toSpliced(2, 0, ADDED_RULE);
  expect(objectsByKey(ours)).toEqual({ ...expected, [ROLE_WITH_ADDED_RULE]: { ...role, rules } });
});

it('default roles use the spelling of this server and aggregate roles labelled in either spelling', () => {
  const objects = new Map(defaultObjects(GENERATED_NAMES.platform).map((object) => [`${object.kind} ${object.name}`, object]));
  expect(objects.get('clusterroles admin')?.object).toMatchObject({
    metadata: {
      labels: { 'platform.io/bootstrapping': 'rbac-defaults' },
      annotations: { 'rbac.authorization.platform.io/autoupdate': 'true' },
    },
    aggregationRule: {
      clusterRoleSelectors: [
        { matchLabels: { 'rbac.authorization.platform.io/aggregate-to-admin': 'true' } },
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
      ],
    },
  });
  expect(objects.get('rolebindings system:controller:token-cleaner')).toMatchObject({
    namespace: 'platform-system',
    object: { subjects: [{ kind: 'ServiceAccount', name: 'token-cleaner', namespace: 'platform-system' }] },
  });
  expect(objects.has('clusterroles system:certificates.platform.io:certificatesigningrequests:nodeclient')).toBe(true);
});

const names = GENERATED_NAMES.platform;
const AUTO_UPDATE = 'rbac.authorization.platform.io/autoupdate';
const OTHER_SPELLING_OF_AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const rule = (verbs: string[], resources: string[], apiGroups = ['']): JsonObject => ({ verbs, apiGroups, resources });
const metadata = { name: 'r', labels: { a: '1' }, annotations: { [AUTO_UPDATE]: 'true' } };
const role = (...rules: JsonObject[]): JsonObject => ({ metadata, rules });
const group = (name: string): JsonObject => ({ kind: 'Group', apiGroup: 'rbac.authorization.platform.io', name });
const binding = (subjects: JsonObject[], roleName = 'x'): JsonObject => ({
  metadata,
  roleRef: { kind: 'ClusterRole', name: roleName },
  subjects,
});
const NO_ACTION = { type: 'none' };

describe('reconcileActionFor', () => {
  it.each<[string, JsonObject, JsonObject, object]>([
    ['returns no action for a role that has every desired rule', role(rule(['get'], ['pods'])), role(rule(['get'], ['pods'])), NO_ACTION],
    ['returns no action for a role that grants more', role(rule(['get'], ['pods'])), role(rule(['*'], ['*'], ['*'])), NO_ACTION],
    [
      'adds missing permissions to a role, one rule for each verb and resource',
      role(rule(['get', 'list'], ['pods', 'services'])),
      role(rule(['get'], ['pods', 'secrets'])),
      {
        type: 'update',
        object: role(
          rule(['get'], ['pods', 'secrets']),
          rule(['get'], ['services']),
          rule(['list'], ['pods']),
          rule(['list'], ['services']),
        ),
      },
    ],
    [
      'adds missing subjects to a binding',
      binding([group('a'), group('b')]),
      binding([group('c'), group('b')]),
      { type: 'update', object: binding([group('c'), group('b'), group('a')]) },
    ],
    [
      'adds missing annotations to a role, and keeps existing labels',
      role(),
      { metadata: { name: 'r', labels: { a: '2', b: '3' } }, rules: [] },
      {
        type: 'update',
        object: { metadata: { name: 'r', labels: { a: '2', b: '3' }, annotations: { [AUTO_UPDATE]: 'true' } }, rules: [] },
      },
    ],
    [
      'returns no action for a role that has its annotations in the other spelling',
      role(),
      { metadata: { name: 'r', labels: { a: '1' }, annotations: { [OTHER_SPELLING_OF_AUTO_UPDATE]: 'true' } }, rules: [] },
      NO_ACTION,
    ],
    [
      'returns no action for a role whose autoupdate annotation is false',
      role(rule(['get'], ['pods'])),
      { metadata: { name: 'r', annotations: { [AUTO_UPDATE]: 'false' } }, rules: [] },
      NO_ACTION,
    ],
    [
      'returns no action for a role whose autoupdate annotation is false in the other spelling',
      role(rule(['get'], ['pods'])),
      { metadata: { name: 'r', annotations: { [OTHER_SPELLING_OF_AUTO_UPDATE]: 'false' } }, rules: [] },
      NO_ACTION,
    ],
    ['replaces a binding with another roleRef', binding([], 'x'), binding([], 'y'), { type: 'replace' }],
  ])('%s', (_title, desired, existing, action) => {
    expect(reconcileActionFor(desired, existing, names)).toEqual(action);
  });
});

describe('default roles reconciler', () => {
  const BASIC_USER = 'system:basic-user';

  const stopAfterwards = stopAfterTest<Reconciler>((reconciler) => reconciler.stop());

  /** Starts a reconciler; resolves after its first pass. */
  async function start({ cache, clock, writer, resource }: WriteFixture): Promise<Reconciler> {
    const reconciler = stopAfterwards(
      startDefaultRolesReconciler({
        writer,
        cache,
        resources: { require: (name) => resource(name.split('.')[0] ?? '') },
        names,
        clock,
        onFailure: (message, error) => {
          throw new Error(message, { cause: error });
        },
      }),
    );
    await reconciler.complete;
    await cache.catchUp();
    return reconciler;
  }

  /** A cluster with the system namespaces, in which the reconciler has made its first pass. */
  const cluster = useForEachTest(async () => {
    const fixture = await openWriteFixture();
    for (const name of systemNamespaces(names)) await fixture.create('namespaces', { metadata: { name } });
    await fixture.cache.catchUp();
    const revisionBefore = fixture.store.currentRevision;
    const reconciler = await start(fixture);
    return { ...fixture, revisionBefore, reconciler };
  });

  /** The rules of the role {@link BASIC_USER}. */
  const storedRules = async (): Promise<unknown> => (await cluster().stored('clusterroles', BASIC_USER))?.['rules'];

  async function reconcileNow(): Promise<void> {
    const { cache, reconciler } = cluster();
    await cache.catchUp();
    await reconciler.trigger();
    await cache.catchUp();
  }

  it('creates the default roles and bindings', () => {
    const { store, revisionBefore } = cluster();
    expect(store.currentRevision - revisionBefore).toBe(recorded.length);
  });

  it('writes nothing when the default roles and bindings exist', async () => {
    const { store } = cluster();
    const before = store.currentRevision;
    await start(cluster());
    expect(store.currentRevision).toBe(before);
  });

  it('restores removed rules', async () => {
    await cluster().patch('clusterroles', BASIC_USER, 'merge', { rules: [] });
    await reconcileNow();
    // One rule for each verb and resource; the default role has two rules for its three resources.
    expect(await storedRules()).toHaveLength(3);
  });

  it('restores no rules of a role whose autoupdate annotation is false', async () => {
    await cluster().patch('clusterroles', BASIC_USER, 'merge', { metadata: { annotations: { [AUTO_UPDATE]: 'false' } }, rules: [] });
    await reconcileNow();
    // An empty list of rules is stored as null.
    expect(await storedRules()).toBeNull();
  });

  it('recreates a deleted role', async () => {
    const original = await storedRules();
    await cluster().remove('clusterroles', BASIC_USER, { namespace: '' });
    await reconcileNow();
    expect(await storedRules()).toEqual(original);
  });
});
