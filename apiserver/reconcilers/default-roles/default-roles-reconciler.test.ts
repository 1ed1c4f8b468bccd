/** Compares the built-in roles and bindings with release 1.31.1, and tests their reconciliation. */
import { GENERATED_NAMES, canonicalGroup, systemNamespaces } from '../../../shared/names/dialect';
import { arrayAt, objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { parseEntry } from '../../registry/object/stored-object';
import type { Reconciler } from '../reconciler';
import { startDefaultRolesReconciler } from './default-roles-reconciler';
import { defaultObjects } from './default-objects';
import { reconcileActionFor } from './reconcile-action';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const recorded = readRecording('rbac/defaults', body, shape({ resource: text, namespace: text, name: text, object })).cases;

/** Objects are stored with group names in canonical spelling. */
const inCanonicalGroups = (object: JsonObject): JsonValue =>
  JSON.parse(JSON.stringify(object), (member, value: unknown) => {
    if (member === 'apiGroup' && typeof value === 'string') return canonicalGroup(value);
    return member === 'apiGroups' && Array.isArray(value) ? value.map((group) => canonicalGroup(String(group))) : value;
  });

/** The permission to set load balancer addresses, which only this server checks. */
const ADDED_RULE: JsonObject = { verbs: ['update'], apiGroups: [''], resources: ['services/loadbalancer'] };
const ADDED_TO = 'clusterroles  system:controller:service-controller';

it('default roles and bindings equal those of release 1.31.1, with one more rule of the service controller', () => {
  /** By resource, namespace and name. */
  const placed = (objects: typeof recorded): JsonObject =>
    Object.fromEntries(
      objects.map(({ resource, namespace, name, object }) => [`${resource} ${namespace} ${name}`, inCanonicalGroups(object)]),
    );
  const own = defaultObjects(GENERATED_NAMES.kubernetes).map(({ kind, namespace, name, object: made }) => ({
    resource: kind,
    namespace,
    name,
    // Another controller sets the rules of an aggregated role.
    object: { ...made, ...(objectAt(made, 'aggregationRule') === undefined ? {} : { rules: null }) },
  }));
  const expected = placed(recorded);
  // The added rule is the third one.
  const rules = (arrayAt(objectAt(expected, ADDED_TO), 'rules') ?? []).toSpliced(2, 0, ADDED_RULE);
  expect(placed(own)).toEqual({ ...expected, [ADDED_TO]: { ...objectAt(expected, ADDED_TO), rules } });
});

it('default roles use the spelling of this server and aggregate roles labelled in either spelling', () => {
  const named = new Map(defaultObjects(GENERATED_NAMES.platform).map((object) => [`${object.kind} ${object.name}`, object]));
  expect(named.get('clusterroles admin')?.object).toMatchObject({
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
  expect(named.get('rolebindings system:controller:token-cleaner')).toMatchObject({
    namespace: 'platform-system',
    object: { subjects: [{ kind: 'ServiceAccount', name: 'token-cleaner', namespace: 'platform-system' }] },
  });
  expect(named.has('clusterroles system:certificates.platform.io:certificatesigningrequests:nodeclient')).toBe(true);
});

const names = GENERATED_NAMES.platform;
const AUTO = 'rbac.authorization.platform.io/autoupdate';
const rule = (verbs: string[], resources: string[], apiGroups = ['']): JsonObject => ({ verbs, apiGroups, resources });
const metadata = { name: 'r', labels: { a: '1' }, annotations: { [AUTO]: 'true' } };
const role = (...rules: JsonObject[]): JsonObject => ({ metadata, rules });
const group = (name: string): JsonObject => ({ kind: 'Group', apiGroup: 'rbac.authorization.platform.io', name });
const binding = (subjects: JsonObject[], to = 'x'): JsonObject => ({ metadata, roleRef: { kind: 'ClusterRole', name: to }, subjects });

it.each<[string, JsonObject, JsonObject, object]>([
  ['nothing to an object that has every desired rule', role(rule(['get'], ['pods'])), role(rule(['get'], ['pods'])), { type: 'none' }],
  ['nothing to a role that grants more', role(rule(['get'], ['pods'])), role(rule(['*'], ['*'], ['*'])), { type: 'none' }],
  [
    'missing permissions, rule by rule, to a role',
    role(rule(['get', 'list'], ['pods', 'services'])),
    role(rule(['get'], ['pods', 'secrets'])),
    {
      type: 'update',
      object: role(rule(['get'], ['pods', 'secrets']), rule(['get'], ['services']), rule(['list'], ['pods']), rule(['list'], ['services'])),
    },
  ],
  [
    'missing subjects to a binding',
    binding([group('a'), group('b')]),
    binding([group('c'), group('b')]),
    { type: 'update', object: binding([group('c'), group('b'), group('a')]) },
  ],
  [
    'nothing to a role whose autoupdate annotation is false in the other spelling',
    role(rule(['get'], ['pods'])),
    { metadata: { name: 'r', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } }, rules: [] },
    { type: 'none' },
  ],
  [
    'nothing to a role that has its annotations in the other spelling',
    role(),
    { metadata: { name: 'r', labels: { a: '1' }, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } }, rules: [] },
    { type: 'none' },
  ],
  ['a replacement for a binding with another roleRef', binding([], 'x'), binding([], 'y'), { type: 'replace' }],
  [
    'missing annotations to a role, and keeps existing labels',
    role(),
    { metadata: { name: 'r', labels: { a: '2', b: '3' } }, rules: [] },
    { type: 'update', object: { metadata: { name: 'r', labels: { a: '2', b: '3' }, annotations: { [AUTO]: 'true' } }, rules: [] } },
  ],
  [
    'nothing to a role whose autoupdate annotation is false',
    role(rule(['get'], ['pods'])),
    { metadata: { name: 'r', annotations: { [AUTO]: 'false' } }, rules: [] },
    { type: 'none' },
  ],
])('default roles reconciliation adds %s', (_title, desired, existing, action) => {
  expect(reconcileActionFor(desired, existing, names)).toEqual(action);
});

const OPTIONS = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm' } as const;

describe('default roles reconciler', () => {
  let fixture: WriteFixture;
  let reconciler: Reconciler;
  let writes: number;

  beforeEach(async () => {
    fixture = await openWriteFixture();
    writes = 0;
    for (const name of systemNamespaces(GENERATED_NAMES.platform)) await fixture.create('namespaces', { metadata: { name } });
    await fixture.cache.catchUp();
    reconciler = start();
    await reconciler.complete;
    await fixture.cache.catchUp();
  });
  afterEach(() => reconciler.stop());

  function start(): Reconciler {
    const { cache, clock, writer, resource } = fixture;
    const counted = {
      ...writer,
      create(...args: Parameters<typeof writer.create>) {
        writes += 1;
        return writer.create(...args);
      },
      update(...args: Parameters<typeof writer.update>) {
        writes += 1;
        return writer.update(...args);
      },
    };
    return startDefaultRolesReconciler({
      writer: counted,
      cache,
      resources: { require: (name) => resource(name.split('.')[0] ?? '') },
      names: GENERATED_NAMES.platform,
      clock,
      onFailure: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });
  }

  const storedRole = (name: string): JsonObject => {
    const entry = fixture.cache.get(fixture.resource('clusterroles').stored, name);
    if (entry === undefined) throw new Error(`there is no ${name}`);
    return parseEntry(entry).object;
  };

  it('creates the default roles and bindings once', async () => {
    expect(writes).toBe(recorded.length);
    const other = start();
    await other.complete;
    other.stop();
    expect(writes).toBe(recorded.length);
  });

  it('restores removed rules and deleted roles, but no role whose autoupdate annotation is false', async () => {
    const { writer, context, resource } = fixture;
    const key = { namespace: '', name: 'system:basic-user' };
    const original = storedRole(key.name);
    const put = (value: JsonObject): Promise<unknown> =>
      writer.update(context, resource('clusterroles'), key, undefined, { value, duplicates: [], format: 'json' }, OPTIONS);
    const reconcileNow = async (): Promise<void> => {
      await fixture.cache.catchUp();
      await reconciler.trigger();
      await fixture.cache.catchUp();
    };
    await put({ ...original, rules: [] });
    await reconcileNow();
    expect(storedRole(key.name)['rules']).toHaveLength(3);
    await put({ ...storedRole(key.name), metadata: { name: key.name, annotations: { [AUTO]: 'false' } }, rules: [] });
    await reconcileNow();
    expect(storedRole(key.name)['rules']).toBeNull();
    await writer.delete(context, resource('clusterroles'), key, { dryRun: false });
    await reconcileNow();
    expect(storedRole(key.name)['rules']).toEqual(original['rules']);
  });
});
