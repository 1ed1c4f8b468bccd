/** What a server says of itself while its store is in trouble. */
import { StoreError } from '../../../apiserver/storage/store';
import { MemoryStore } from '../../support/memory-store';
import { useServer } from './fixture';

const store = new MemoryStore();
const health = jest.spyOn(store, 'health');

const api = useServer({}, store);
beforeAll(async () => {});
afterAll(async () => {
  jest.restoreAllMocks();
});

it('is alive, but not ready, while the store takes no writes', async () => {
  health.mockRejectedValue(new StoreError('no-space', 'No space left on device'));
  expect((await api.get('/readyz/etcd-readiness')).text).toContain('No space left on device');
  expect((await api.get('/readyz')).status).toBe(500);
  expect((await api.get('/livez')).status).toBe(200);
});

it('counts what could not be removed after compactions, where the store does that itself', async () => {
  const name = 'apiserver_storage_purge_failures_total';
  expect((await api.get('/metrics')).text).toMatch(new RegExp(`^${name} 0$`, 'm'));
  jest.spyOn(store, 'status').mockResolvedValue({ version: 'embedded', revision: 1, size: 0, purgeFailures: 3 });
  expect((await api.get('/metrics')).text).toMatch(new RegExp(`^${name} 3$`, 'm'));
});
