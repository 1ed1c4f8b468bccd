/** Tests the drivers of recordings with this API server in place of the reference server. */
import { FLAGS } from '../../../apiserver/options/flags/flags';
import { useReferenceStandIn } from '../../integration/http/reference-stand-in';
import { isKindCase, isKindHead, type KindHead } from '../formats/kind-case';
import { readRecording, listRecordings } from '../recording';
import { membersOf, objectNameOf, objectsIn, textOf } from '../json-response';
import { isServiceCase, isServiceHead } from '../formats/service-case';
import { anything } from '../shape';
import { DRIVERS } from './drivers';
import { KindRecorder, recordKindCases } from './objects/kind-cases';
import { recordServiceCases } from './objects/service-cases';
import { recordRequests } from './requests/requests';
import { toCanonical, toUpstream } from './spelling';

describe('the driver of kind-cases', () => {
  const server = useReferenceStandIn();

  it.each(['core/leases.v1.coordination.platform.io', 'networking/ingressclasses.v1.networking.platform.io'])(
    'returns %s unchanged when the server responds as recorded',
    async (recording) => {
      const { head, cases } = readRecording(recording, isKindHead, isKindCase);
      expect(await recordKindCases(recording, server())).toEqual([head, ...cases]);
    },
  );

  const head: KindHead = {
    format: 'kind-cases',
    resource: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespaced: true,
    defaultRequests: ['create', 'update'],
    base: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  };

  it('records the default requests of a case without responses', async () => {
    const recorded = await new KindRecorder(server(), head).record({
      title: 'a malformed label',
      body: { metadata: { labels: { a: '-' } } },
    });
    expect(recorded).toMatchObject({ title: 'a malformed label', create: { code: 422 }, update: { code: 422 } });
  });

  it('records an update as `same` when its response equals that of the creation', async () => {
    const recorder = new KindRecorder(server(), { ...head, resource: 'configmaps', kind: 'ConfigMap', base: { data: {} } });
    expect(await recorder.record({ title: 'a malformed key', body: { data: { 'a b': 'c' } } })).toMatchObject({
      create: { code: 422 },
      update: 'same',
    });
  });

  it('records only the creation of an object with a name of its own', async () => {
    const body = { ...head.base, metadata: { name: 'A_b' } };
    const recorded = await new KindRecorder(server(), head).record({ title: 'a malformed name', body });
    expect(Object.keys(recorded)).toEqual(['title', 'body', 'create']);
  });

  it('records the update of the stored object of a case', async () => {
    const recorded = await new KindRecorder(server(), head).record({ title: 'no spec', old: head.base, body: {} });
    expect(recorded).toEqual({ title: 'no spec', old: head.base, body: {}, update: expect.objectContaining({ code: 422 }) });
  });

  it('records the response of a subresource that is null in the recording', async () => {
    const body = { status: { phase: 'Bound' } };
    const recorded = await new KindRecorder(server(), head).record({ title: 'status bound', body, status: null });
    expect(recorded).toMatchObject({ status: { code: 200, asSent: ['status'] } });
  });

  it('deletes the objects that it has stored, with their finalizers', async () => {
    const recorder = new KindRecorder(server(), head);
    await recorder.record({ title: 'plain', old: { ...head.base, metadata: { finalizers: ['example.com/a'] } }, body: head.base });
    await recorder.deleteStored();
    const { body } = await server().sendJson('GET', '/api/v1/namespaces/ns/persistentvolumeclaims');
    expect(body['items']).toEqual([]);
  });
});

describe('the other drivers', () => {
  const server = useReferenceStandIn();

  it.each([
    'apiregistration/api-services',
    'custom/decoding',
    'custom/paths',
    'custom/updates',
    'expressions/definitions',
    'expressions/updates',
    'flow-control/defaults',
    'objects/mutations',
    'proxies/requests',
    'requests/delete-finalizers',
    'requests/field-managers',
    'values/addresses',
    'values/ranges',
    'values/within',
  ])('return %s unchanged when the server responds as recorded', async (recording) => {
    const { head, cases } = readRecording(recording, anything, anything);
    const driver = DRIVERS.get(textOf(membersOf(head)['format']));
    expect(await driver?.(recording, server())).toEqual([head, ...cases]);
  });

  it('delete the objects and the namespace of a sequence of requests', async () => {
    const namesAt = async (path: string): Promise<readonly string[]> =>
      objectsIn((await server().sendJson('GET', path)).body['items']).map(objectNameOf);
    const before = await namesAt('/api/v1/namespaces');
    await recordRequests('requests/delete-finalizers', server());
    expect(await namesAt('/api/v1/namespaces')).toEqual(before);
    expect(await namesAt('/api/v1/configmaps')).not.toContain('a');
  });
});

describe('the driver of service-cases', () => {
  const server = useReferenceStandIn({ serviceRanges: FLAGS['service-cluster-ip-range'].parse('10.0.0.0/16,fd00::/108', undefined) });

  it('returns a recording unchanged when the server responds as recorded', async () => {
    const { head, cases } = readRecording('service/dual', isServiceHead, isServiceCase);
    expect(await recordServiceCases('service/dual', server())).toEqual([head, ...cases]);
  });
});

describe('ReferenceServer', () => {
  const server = useReferenceStandIn();

  it.each([
    { method: 'GET', headers: {}, code: 200 },
    { method: 'GET', headers: { authorization: '' }, code: 403 },
    { method: 'GET', headers: { authorization: 'Bearer unknown' }, code: 401 },
    { method: 'OPTIONS', headers: {}, code: 405 },
    { method: 'HEAD', headers: {}, code: 405 },
  ])('sends $method with the headers $headers and returns the code $code', async ({ method, headers, code }) => {
    expect((await server().send({ method, path: '/api/v1/namespaces', headers })).code).toBe(code);
  });
});

it.each(['core', 'governance', 'networking', 'pod', 'workloads'])(
  'toCanonical(toUpstream(body)) returns every body of the area %s unchanged',
  (area) => {
    const cases = listRecordings(area).flatMap((recording) => readRecording(recording, isKindHead, isKindCase).cases);
    const bodies = cases.map(({ body, old }) => JSON.stringify([body, old]));
    expect(bodies.map((text) => toCanonical(toUpstream(text)))).toEqual(bodies);
  },
);

it.each([
  ['{"apiVersion":"node.platform.io/v1"}', '{"apiVersion":"node.k8s.io/v1"}'],
  ['{"apiGroup":"rbac.authorization.platform.io"}', '{"apiGroup":"rbac.authorization.k8s.io"}'],
  ['{"key":"node.platform.io/not-ready"}', '{"key":"node.kubernetes.io/not-ready"}'],
  ['{"type":"platform.io/tls"}', '{"type":"kubernetes.io/tls"}'],
  ['"spec.nodeSelector[platform.io/os]"', '"spec.nodeSelector[kubernetes.io/os]"'],
])('toUpstream translates %s to %s, and toCanonical back', (canonical, upstream) => {
  expect(toUpstream(canonical)).toBe(upstream);
  expect(toCanonical(upstream)).toBe(canonical);
});
