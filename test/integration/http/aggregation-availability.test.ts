/**
 * The condition Available of an APIService: it is false while one of the objects that the APIService needs is missing,
 * or while the extension API server fails. The reasons and messages are those of the reference server.
 */
import { EXTENSION_GROUP } from '../../support/servers/extension-server';
import { API_SERVICE, EXTENSION_ROOT, FLUNDERS, useAggregatedServer } from './aggregated-server';
import { createExternalService } from './aggregation-setup';
import { requireSuccess } from './fixture';

const SERVICES = '/api/v1/namespaces/agg/services';

const aggregated = useAggregatedServer();
const { api, extension } = aggregated;

describe('the condition Available', () => {
  // Each test adds or changes one of the objects that the APIService needs, and continues with those of earlier tests.
  test('is false without the Service', async () => {
    await api.create('/api/v1/namespaces', { metadata: { name: 'agg' } });
    await aggregated.register();
    const condition = await aggregated.waitForAvailability('ServiceNotFound');
    expect(condition).toMatchObject({ status: 'False', message: 'service/ext in "agg" is not present' });
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect(await api.get(FLUNDERS)).toMatchObject({ status: 503, text: 'service unavailable\n', headers });
  });

  test('is false when the Service has another port', async () => {
    const { port } = extension();
    await api.create(SERVICES, { metadata: { name: 'ext' }, spec: { ports: [{ port: 443, targetPort: port }] } });
    const condition = await aggregated.waitForAvailability('ServicePortError');
    expect(condition).toMatchObject({ status: 'False', message: `service/ext in "agg" is not listening on port ${port}` });
  });

  test('is false without endpoints', async () => {
    const { port } = extension();
    requireSuccess(await api.mergePatch(`${SERVICES}/ext`, { spec: { ports: [{ port, targetPort: port }] } }));
    const condition = await aggregated.waitForAvailability('EndpointsNotFound');
    expect(condition).toMatchObject({ status: 'False', message: 'cannot find endpoints for service/ext in "agg"' });
  });

  test('is false when no endpoint is ready', async () => {
    await api.create('/apis/discovery.k8s.io/v1/namespaces/agg/endpointslices', {
      metadata: { name: 'ext-1', labels: { 'kubernetes.io/service-name': 'ext' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: extension().port }],
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
    });
    const message = 'endpoints for service/ext in "agg" have no addresses with port name ""';
    expect(await aggregated.waitForAvailability('MissingEndpoints')).toMatchObject({ status: 'False', message });
  });

  test('is true when the extension responds to discovery', async () => {
    await api.delete(`${SERVICES}/ext`);
    await createExternalService(api, 'agg');
    expect(await aggregated.waitForAvailability('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
    const discoveryCall = extension().calls.find(({ line }) => line === `GET ${EXTENSION_ROOT}`);
    const identity = Object.entries({ 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' });
    expect(discoveryCall).toMatchObject({ commonName: 'front-proxy', headers: expect.arrayContaining(identity) });
  });

  test('is false while the extension rejects discovery', async () => {
    extension().setBehaviour('forbid');
    await aggregated.triggerCheck();
    const url = `https://localhost:${extension().port}${EXTENSION_ROOT}`;
    const message = `failing or missing response from ${url}: bad status from ${url}: 403`;
    expect(await aggregated.waitForAvailability('FailedDiscoveryCheck')).toMatchObject({ status: 'False', message });
    extension().setBehaviour('normal');
    expect(await aggregated.waitForAvailability('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
  });

  test('is true when caBundle is the certificate of the extension itself', async () => {
    for (const caBundle of [extension().certificate, extension().caBundle]) {
      await aggregated.patchApiService({ caBundle });
      expect(await aggregated.waitForAvailability('Passed')).toMatchObject({ status: 'True' });
      expect((await api.get(FLUNDERS)).status).toBe(200);
    }
  });
});

describe('an extension that has ended', () => {
  beforeAll(() => extension().close());

  test('is unreachable for a request before the next check', async () => {
    const { status, text } = await api.get(FLUNDERS);
    expect([status, text]).toEqual([503, expect.stringMatching(/^error trying to reach service: dial tcp .*connection refused$/)]);
  });

  test('has an APIService that is not available after the next check', async () => {
    await aggregated.triggerCheck();
    const { message } = await aggregated.waitForAvailability('FailedDiscoveryCheck');
    expect(message).toMatch(/: Get "https:\/\/localhost:\d+\/apis\/wardle.example.com\/v1": dial tcp .*connection refused$/);
    expect(await api.metrics()).toMatch(
      /aggregator_unavailable_apiservice_total\{name="v1\.wardle\.example\.com",reason="FailedDiscoveryCheck"\} [1-9]/,
    );
  });

  test('is stale in aggregated discovery', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items } = Object(await api.read('/apis', { accept }));
    const group = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === EXTENSION_GROUP);
    expect(group.versions).toEqual([{ version: 'v1', freshness: 'Stale' }]);
  });

  test('leaves discovery with its APIService', async () => {
    await api.delete(API_SERVICE);
    while ((await api.get(`/apis/${EXTENSION_GROUP}`)).status !== 404);
    await api.waitUntilServed('/apis');
  });
});
