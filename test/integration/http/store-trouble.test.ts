/** What a server says of itself while its store is in trouble. */
import { StoreError } from '../../../apiserver/storage/store';
import { MemoryStore } from '../../support/memory-store';
import { call, startFixture, type Fixture } from './fixture';

let fixture: Fixture;
const store = new MemoryStore();
const health = jest.spyOn(store, 'health');

beforeAll(async () => {
  fixture = await startFixture({}, store);
});
afterAll(async () => {
  await fixture.stop();
  jest.restoreAllMocks();
});

it('is alive, but not ready, while the store takes no writes', async () => {
  health.mockRejectedValue(new StoreError('no-space', 'No space left on device'));
  expect((await call(fixture, '/readyz/etcd-readiness')).text).toContain('No space left on device');
  expect((await call(fixture, '/readyz')).status).toBe(500);
  expect((await call(fixture, '/livez')).status).toBe(200);
});

it('counts what could not be removed after compactions, where the store does that itself', async () => {
  const name = 'apiserver_storage_purge_failures_total';
  expect((await call(fixture, '/metrics')).text).toMatch(new RegExp(`^${name} 0$`, 'm'));
  jest.spyOn(store, 'status').mockResolvedValue({ version: 'embedded', revision: 1, size: 0, purgeFailures: 3 });
  expect((await call(fixture, '/metrics')).text).toMatch(new RegExp(`^${name} 3$`, 'm'));
});
