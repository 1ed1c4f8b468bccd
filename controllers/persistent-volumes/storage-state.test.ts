import { GENERATED_NAMES } from '../../shared/names/dialect';
import { resourceOf } from '../../shared/client/rest/resource';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { countStorage } from './metrics';
import { StorageState } from './storage-state';
import { CLAIMS, VOLUMES } from './volume-binder';

test('StorageState enqueues all volumes and claims in time slices', async () => {
  const fake = fakeClient();
  const names = Array.from({ length: 100 }, (_, number) => `x${number}`);
  for (const name of names) {
    fake.api.put('/api/v1/persistentvolumes', { metadata: { name } });
    fake.api.put('/api/v1/persistentvolumeclaims', { metadata: { namespace: 'n', name } });
  }
  const end = new AbortController();
  const { informers, metrics } = fakeContext(fake, end.signal);
  const observed = {
    volumes: informers.of(VOLUMES),
    claims: informers.of(CLAIMS),
    classes: informers.of(resourceOf('storage.v1.StorageClass')),
    pods: informers.of(resourceOf('core.v1.Pod')),
  };
  const enqueued = new Set<string>();
  const queues = { enqueueClaim: (key: string) => void enqueued.add(key), enqueueVolume: (name: string) => void enqueued.add(name) };
  // Each reading of the clock takes a millisecond, so that the first slice ends before 100 objects are enqueued.
  let now = 0;
  const clock = { after: fake.clock.after.bind(fake.clock), monotonic: () => (now += 1) };
  const counts = countStorage(metrics, GENERATED_NAMES.platform.prefix);
  const state = new StorageState({ informers: observed, queues, counts, clock, signal: end.signal });
  await fake.clock.advanceAsync(0);
  enqueued.clear();
  const finished = state.enqueueAll();
  expect(enqueued.size).toBeLessThan(100);
  await finished;
  expect(enqueued.size).toBe(200);
  state.end();
  end.abort();
  await fake.clock.advanceAsync(0);
});
