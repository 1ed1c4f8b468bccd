import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { StoreError } from '../../storage/store';
import { objectOf, refusalStatus, openWriteFixture } from '../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

const configMap = { metadata: { name: 'a' }, data: { k: 'v' } };

describe('a malformed generateName', () => {
  const PATH = ["may not contain '/'", "may not contain '%'"];
  const NAME = 'a lowercase RFC 1123 subdomain';

  // Some kinds validate generateName differently from names (upstream behaviour).
  it.each([
    ['configmaps', 'a/b%c', [...PATH, NAME]],
    ['configmaps', 'A', [NAME]],
    ['configmaps', '.', [NAME]],
    ['flowschemas', 'A', [NAME]],
    ['resourcequotas', 'a/b%c', PATH],
    ['roles', '.', ["may not be '.'", "may not be '.'"]],
  ])('of %s, %s, is validated by an update', async (resource, generateName, expected) => {
    // A FlowSchema needs this spec; the other kinds ignore it.
    const spec = { priorityLevelConfiguration: { name: 'x' } };
    await fixture().create(resource, { metadata: { name: 'a' }, spec });
    const { details } = await refusalStatus(fixture().update(resource, 'a', { metadata: { name: 'a', generateName }, spec }));
    const causes = details?.causes ?? [];
    expect(causes).toHaveLength(expected.length);
    for (const [index, text] of expected.entries())
      expect(causes[index]).toMatchObject({ field: 'metadata.generateName', message: expect.stringContaining(text) });
  });

  it('of a ResourceQuota is accepted by an update when it fits into a path', async () => {
    await fixture().create('resourcequotas', { metadata: { name: 'a' } });
    const { object } = await fixture().update('resourcequotas', 'a', { metadata: { name: 'a', generateName: 'A' } });
    expect(ensureMetadata(object)['generateName']).toBe('A');
  });
});

describe('a malformed finalizer', () => {
  const FORM = 'metadata.finalizers';
  const DOMAIN = 'metadata.finalizers[0]';

  // In upstream's order, and as often as upstream reports them.
  it.each([
    ['configmaps', [FORM, DOMAIN, FORM, DOMAIN]],
    ['podtemplates', [FORM, DOMAIN]],
    ['nodes', [FORM, FORM, DOMAIN, DOMAIN]],
    ['namespaces', [FORM, FORM, DOMAIN, DOMAIN]],
    ['limitranges', [FORM, FORM, DOMAIN]],
    ['resourcequotas', [FORM, DOMAIN]],
    ['roles', [FORM, FORM, DOMAIN, FORM, DOMAIN, DOMAIN]],
  ])('of %s is reported by an update', async (resource, expected) => {
    const template = { spec: { containers: [{ name: 'c', image: 'i' }] } };
    await fixture().create(resource, { metadata: { name: 'b' }, template });
    const { details } = await refusalStatus(fixture().update(resource, 'b', { metadata: { name: 'b', finalizers: ['x y'] }, template }));
    expect(details?.causes?.map(({ field }) => field)).toEqual(expected);
  });
});

describe('create', () => {
  it('stamps the metadata and stores the object in one transaction without a read', async () => {
    const before = fixture().store.calls.transact;
    const { object, entry, created } = await fixture().create('configmaps', configMap);
    expect(fixture().store.calls.transact - before).toBe(1);
    expect(fixture().cache.lookups).toBe(0);
    expect(created).toBe(true);
    expect(object).toEqual({
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: expect.stringMatching(/^0{8}-/),
        resourceVersion: String(entry.revision),
        creationTimestamp: '2026-01-02T03:04:05Z',
        managedFields: [
          {
            manager: 'test',
            operation: 'Update',
            apiVersion: 'v1',
            time: '2026-01-02T03:04:05Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
          },
        ],
      },
      data: { k: 'v' },
    });
    expect(await fixture().stored('configmaps', 'a')).toEqual(object);
  });

  it('stores labels and selectable fields in the entry', async () => {
    const { entry } = await fixture().create('pods', {
      metadata: { name: 'p', labels: { app: 'x' } },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    });
    expect(entry.labels).toEqual({ app: 'x' });
    expect(entry.fields).toMatchObject({
      'spec.nodeName': 'n',
      'spec.hostNetwork': 'false',
      'status.phase': 'Pending',
      'status.podIP': '',
    });
  });

  it('tries at most eight generated names while they exist', async () => {
    fixture().random.suffixes.push('aaaaa');
    await fixture().create('configmaps', { metadata: { generateName: 'x-' } });
    fixture().random.suffixes.push('aaaaa', 'aaaaa', 'bbbbb');
    const second = await fixture().create('configmaps', { metadata: { generateName: 'x-' } });
    expect(second.object).toMatchObject({ metadata: { name: 'x-bbbbb', generateName: 'x-' } });
    fixture().random.suffixes.push(...Array.from({ length: 8 }, () => 'aaaaa'), 'ccccc');
    expect(await refusalStatus(fixture().create('configmaps', { metadata: { generateName: 'x-' } }))).toMatchObject({
      code: 409,
      message: 'configmaps "x-aaaaa" already exists, the server was not able to generate a unique name for the object',
      details: { retryAfterSeconds: 1 },
    });
    expect(fixture().random.suffixes).toEqual(['ccccc']);
  });

  it('truncates generateName to 58 bytes', async () => {
    fixture().random.suffixes.push('zzzzz');
    const { entry } = await fixture().create('configmaps', { metadata: { generateName: 'n'.repeat(80) } });
    expect(entry.key).toBe(`ns/${'n'.repeat(58)}zzzzz`);
  });

  it('is rejected in a terminating namespace that the cache has as active', async () => {
    await fixture().remove('namespaces', 'ns');
    expect(await refusalStatus(fixture().create('configmaps', configMap))).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: unable to create new content in namespace ns because it is being terminated',
    });
    expect(await fixture().stored('configmaps', 'a')).toBeUndefined();
  });

  it('succeeds in a namespace that the cache has not seen yet', async () => {
    const fresh = await openWriteFixture();
    await fresh.create('namespaces', { metadata: { name: 'new' } });
    expect((await fresh.create('configmaps', configMap, { namespace: 'new' })).created).toBe(true);
  });

  it('converts system namespaces and group names of the other dialect', async () => {
    await fixture().create('namespaces', { metadata: { name: 'platform-system' } });
    const { object, entry } = await fixture().create(
      'configmaps',
      {
        metadata: {
          name: 'a',
          namespace: ['kube', 'system'].join('-'),
          ownerReferences: [{ apiVersion: ['coordination', 'k8s', 'io/v1'].join('.'), kind: 'Lease', name: 'l', uid: 'u' }],
        },
      },
      { namespace: 'platform-system' },
    );
    expect(object).toMatchObject({
      metadata: { namespace: 'platform-system', ownerReferences: [{ apiVersion: 'coordination.platform.io/v1' }] },
    });
    expect(entry.isDialectSensitive).toBe(true);
  });

  it('stores nothing in a dry run, and returns an object without a resourceVersion', async () => {
    const { object } = await fixture().create('configmaps', configMap, { dryRun: true });
    expect(object).toEqual({ metadata: expect.not.objectContaining({ resourceVersion: expect.anything() }), data: { k: 'v' } });
    expect(await fixture().stored('configmaps', 'a')).toBeUndefined();
    await fixture().create('configmaps', configMap);
    expect(await refusalStatus(fixture().create('configmaps', configMap, { dryRun: true }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
    });
  });

  it('is rejected with a resourceVersion', async () => {
    expect(await refusalStatus(fixture().create('configmaps', { metadata: { name: 'a', resourceVersion: '5' } }))).toMatchObject({
      code: 400,
      message: 'resourceVersion should not be set on objects to be created',
    });
  });

  it('is rejected with 429 while the cache is loading', async () => {
    fixture().cache.isReady = false;
    expect(await refusalStatus(fixture().create('configmaps', configMap))).toMatchObject({ code: 429 });
  });

  it.each([
    ['unavailable', 504, 'Timeout: request did not complete within requested timeout - context deadline exceeded'],
    ['too-large', 400, 'etcdserver: request is too large'],
    ['closed', 503, 'apiserver is shutting down'],
  ] as const)('converts the store failure %s to %i %s', async (failure, code, message) => {
    jest.spyOn(fixture().store, 'transact').mockRejectedValue(new StoreError(failure, 'x'));
    expect(await refusalStatus(fixture().create('configmaps', configMap))).toMatchObject({ code, message });
  });

  it('fails on a full store as upstream: 500 with the message of the store and no reason', async () => {
    const message = 'etcdserver: mvcc: database space exceeded';
    jest.spyOn(fixture().store, 'transact').mockRejectedValue(new StoreError('no-space', message));
    expect(await refusalStatus(fixture().create('configmaps', configMap))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      code: 500,
    });
  });
});

describe('update', () => {
  it('stores the object in one transaction', async () => {
    const first = await fixture().create('configmaps', configMap);
    await fixture().cache.catchUp();
    const before = fixture().store.calls.transact;
    const { object, entry, created } = await fixture().update('configmaps', 'a', { metadata: { name: 'a' }, data: { k: 'w' } });
    expect(fixture().store.calls.transact - before).toBe(1);
    expect(fixture().cache.lookups).toBe(0);
    expect(created).toBe(false);
    expect(entry.revision).toBeGreaterThan(first.entry.revision);
    expect(object).toEqual({
      ...first.object,
      metadata: { ...Object(first.object['metadata']), resourceVersion: String(entry.revision) },
      data: { k: 'w' },
    });
  });

  it('stores nothing and keeps the resourceVersion when nothing changes', async () => {
    const first = await fixture().create('configmaps', configMap);
    await fixture().cache.catchUp();
    const before = fixture().store.calls.transact;
    const { entry } = await fixture().update('configmaps', 'a', configMap);
    expect(entry.revision).toBe(first.entry.revision);
    expect(fixture().store.calls.transact).toBe(before);
    expect(fixture().cache.lookups).toBe(1);
  });

  it('preserves integers beyond 53 bits', async () => {
    const body = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 9007199254740993n },
    };
    await fixture().create('pods', body);
    const { entry } = await fixture().patch('pods', 'p', 'merge', { metadata: { labels: { a: 'b' } } });
    expect(entry.bytes.toString()).toContain('"terminationGracePeriodSeconds":9007199254740993');
  });

  it('is rejected with 409 when If-Match is stale', async () => {
    const { entry } = await fixture().create('configmaps', configMap);
    const body = { metadata: { name: 'a' }, data: { k: 'w' } };
    expect(await refusalStatus(fixture().update('configmaps', 'a', body, { ifMatch: '1' }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
    expect((await fixture().update('configmaps', 'a', body, { ifMatch: String(entry.revision) })).object).toMatchObject({
      data: { k: 'w' },
    });
  });

  it('is rejected with 400 for a resourceVersion that is not a number', async () => {
    await fixture().create('configmaps', configMap);
    expect(await refusalStatus(fixture().update('configmaps', 'a', { metadata: { name: 'a', resourceVersion: 'x' } }))).toMatchObject({
      code: 400,
      message: 'strconv.ParseUint: parsing "x": invalid syntax',
    });
  });

  it('creates an absent object of a kind that allows it, but not via the status subresource', async () => {
    const service = { metadata: { name: 's' }, spec: { type: 'ExternalName', externalName: 'x' } };
    expect(await refusalStatus(fixture().update('services', 's', service, { subresource: 'status' }))).toMatchObject({ code: 404 });
    expect((await fixture().update('services', 's', service)).created).toBe(true);
    expect(await refusalStatus(fixture().update('configmaps', 'none', { metadata: { name: 'none' } }))).toMatchObject({ code: 404 });
  });

  it('removes a terminating object when its last finalizer is removed', async () => {
    await fixture().create('configmaps', { metadata: { name: 'a', finalizers: ['x.y/z'] } });
    const marked = await fixture().remove('configmaps', 'a');
    if (marked.type !== 'object') throw new Error('no object');
    const dry = await fixture().patch('configmaps', 'a', 'merge', { metadata: { finalizers: null } }, { dryRun: true });
    expect(dry.object).not.toHaveProperty('metadata.finalizers');
    expect(await fixture().stored('configmaps', 'a')).toBeDefined();
    const removed = await fixture().patch('configmaps', 'a', 'merge', { metadata: { finalizers: null }, data: { last: 'word' } });
    expect(removed.object).toMatchObject({ data: { last: 'word' } });
    expect(removed.entry.revision).toBe(marked.entry.revision);
    expect(await fixture().stored('configmaps', 'a')).toBeUndefined();
  });

  it('of the status subresource changes only metadata and status', async () => {
    await fixture().create('pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const { object } = await fixture().patch(
      'pods',
      'p',
      'merge',
      { metadata: { labels: { a: 'b' } }, spec: { nodeName: 'x' }, status: { phase: 'Running' } },
      { subresource: 'status' },
    );
    expect(object).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { phase: 'Running', qosClass: 'BestEffort' } });
    expect(object).not.toHaveProperty('spec.nodeName');
    // The main endpoint does not change the status.
    const { object: after } = await fixture().patch('pods', 'p', 'merge', {
      status: { phase: 'Failed' },
      metadata: { labels: { c: 'd' } },
    });
    expect(after).toMatchObject({ metadata: { labels: { a: 'b', c: 'd' } }, status: { phase: 'Running' } });
  });
});

describe('patch', () => {
  it('is rejected with the patched object when a field has the wrong type', async () => {
    await fixture().create('configmaps', configMap);
    const rejection = await refusalStatus(fixture().patch('configmaps', 'a', 'json', [{ op: 'add', path: '/data/k', value: 5 }]));
    expect(rejection.code).toBe(422);
    expect(rejection.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"k\\":5\},/);
    expect(rejection.message).toMatch(/json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/);
    expect(rejection.details?.causes?.[0]?.field).toBe('patch');
  });

  it('reports unknown and duplicate fields of the patch before those of the object', async () => {
    await fixture().create('configmaps', configMap);
    const patch = '[{"op":"add","path":"/data/q","value":"x","extra":1,"op":"add"},{"op":"add","path":"/foo","value":1}]';
    const rejection = await refusalStatus(fixture().patch('configmaps', 'a', 'json', patch, { fieldValidation: 'Strict' }));
    expect(rejection.message).toMatch(
      /strict decoding error: json patch unknown field "\[0\]\.extra", json patch duplicate field "\[0\]\.op", unknown field "foo"$/,
    );
    await fixture().patch('configmaps', 'a', 'json', patch);
    expect(fixture().warnings).toEqual([
      'json patch unknown field "[0].extra"',
      'json patch duplicate field "[0].op"',
      'unknown field "foo"',
    ]);
  });
});

it('every write of an Event sets its expiry in a field that selectors cannot use', async () => {
  const first = await fixture().create('events', { metadata: { name: 'e' }, involvedObject: { namespace: 'ns' } });
  const seconds = Number(first.entry.fields['$expires']);
  expect(seconds).toBe(fixture().clock.now() / 1000 + 3600);
  fixture().clock.advance(60_000);
  const second = await fixture().patch('events', 'e', 'merge', { message: 'again' });
  expect(Number(second.entry.fields['$expires'])).toBe(seconds + 60);
  expect(objectOf(second.entry)).not.toHaveProperty('$expires');
});

it('a patch with an empty managedFields list keeps the managedFields', async () => {
  const { object } = await fixture().create('configmaps', { metadata: { name: 'owned' }, data: { a: 'b' } });
  const owners = ensureMetadata(object)['managedFields'];
  expect(owners).toHaveLength(1);
  const patched = await fixture().patch('configmaps', 'owned', 'merge', { metadata: { managedFields: [] } });
  expect(ensureMetadata(patched.object)['managedFields']).toEqual(owners);
});

it('a dry run of a create with a resourceVersion returns that resourceVersion', async () => {
  const body = { metadata: { name: 'versioned', resourceVersion: '5' } };
  const { object } = await fixture().create('configmaps', body, { dryRun: true });
  expect(ensureMetadata(object)['resourceVersion']).toBe('5');
  expect(await refusalStatus(fixture().create('configmaps', body))).toMatchObject({ code: 400 });
});

describe('an apply with a uid', () => {
  const apply = (more: object) => {
    const config = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', uid: 'x' }, ...more };
    return refusalStatus(fixture().patch('deployments', 'd', 'apply', config, { fieldManager: 'm' }));
  };

  it('is rejected when the object is absent', async () => {
    expect((await apply({})).message).toContain('uid mismatch');
  });

  it('reports a schema error before the uid mismatch', async () => {
    expect((await apply({ spec: { replicas: 'x' } })).message).toContain('.spec.replicas: expected numeric');
  });
});
