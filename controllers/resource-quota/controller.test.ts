import type { CoreV1ResourceQuota } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { runResourceQuota } from './controller';

const QUOTAS = '/api/v1/resourcequotas';
const CONFIG_MAPS = '/api/v1/configmaps';
const HOUR_MS = 3_600_000;
const served = {
  resource: 'configmaps',
  scope: 'Namespaced',
  verbs: ['create', 'delete', 'list', 'watch'],
  responseKind: { kind: 'ConfigMap' },
};
const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  '/api': { items: [{ metadata: {}, versions: [{ version: 'v1', resources: [served] }] }] },
  '/apis': { items: [] },
};

async function startController() {
  const fake = fakeClient();
  const { clock, api } = fake;
  api.intercept = ({ path }) => (DOCUMENTS[path] === undefined ? undefined : jsonResponse(200, DOCUMENTS[path]));
  const hard = { 'count/configmaps': '5' };
  const putUsage = (used: string): void =>
    void api.put(QUOTAS, {
      metadata: { namespace: 'n', name: 'q', uid: 'q' },
      spec: { hard },
      status: { hard, used: { 'count/configmaps': used } },
    });
  putUsage('0');
  const abort = new AbortController();
  const settings = { concurrentQuotaSyncs: 1, quotaSyncPeriodMs: HOUR_MS };
  const stopped = runResourceQuota({ ...fakeContext(fake, abort.signal), settings });
  await clock.advanceAsync(100);
  const used = () => apiObject<CoreV1ResourceQuota>(api.get(QUOTAS, 'n', 'q') ?? {}).body.status?.used?.['count/configmaps'];
  const stop = async (): Promise<void> => {
    abort.abort();
    await clock.advanceAsync(0);
    await stopped;
  };
  return { api, clock, putUsage, used, stop };
}

test('the ResourceQuota controller recalculates after five seconds when the usage exceeds the observed objects', async () => {
  const { api, clock, putUsage, used, stop } = await startController();
  api.put(CONFIG_MAPS, { metadata: { namespace: 'n', name: 'a', uid: 'a' } });
  api.remove(CONFIG_MAPS, 'n', 'a');
  await clock.advanceAsync(100);
  expect(used()).toBe('0');
  putUsage('1');
  await clock.advanceAsync(4_000);
  // Admission may have counted an object that the informer does not show yet.
  expect(used()).toBe('1');
  await clock.advanceAsync(1_100);
  expect(used()).toBe('0');
  await stop();
});

test('the ResourceQuota controller keeps a correct usage and sends no further update', async () => {
  const { api, clock, putUsage, used, stop } = await startController();
  putUsage('1');
  api.put(CONFIG_MAPS, { metadata: { namespace: 'n', name: 'a', uid: 'a' } });
  await clock.advanceAsync(10_000);
  expect(used()).toBe('1');
  const before = api.requests.length;
  await clock.advanceAsync(20_000);
  expect(api.requests.slice(before).filter((request) => request.startsWith('PUT'))).toEqual([]);
  await stop();
});

test('the ResourceQuota controller leaves no timer when it stops', async () => {
  const { clock, stop } = await startController();
  await stop();
  expect(clock.pending).toBe(0);
});
