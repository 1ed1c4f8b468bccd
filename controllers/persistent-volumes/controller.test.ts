import type { CoreV1PersistentVolume, CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { bindVolumes } from './controller';
import { annotationOf, STORAGE_NAMES } from './storage-names';

const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/persistentvolumeclaims';
const PERIOD_MS = 15_000;

const volume = (name: string, storage = '1Gi'): CoreV1PersistentVolume => ({
  metadata: { name },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], storageClassName: 'm' },
});
const claim = (name: string, storage = '1Gi'): CoreV1PersistentVolumeClaim => ({
  metadata: { namespace: 'n', name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'm', resources: { requests: { storage } } },
});

async function startController() {
  const fake = fakeClient();
  const { api, clock } = fake;
  const abort = new AbortController();
  const reasons: string[] = [];
  const start = async (): Promise<void> => {
    const context = fakeContext(fake, abort.signal);
    stopped = bindVolumes({
      ...context,
      names: GENERATED_NAMES.platform,
      events: { record: ({ reason }) => void reasons.push(reason) },
      settings: { volumeSyncPeriodMs: PERIOD_MS },
    });
    await clock.advanceAsync(0);
  };
  let stopped = Promise.resolve();
  /** The volume that each claim names, by the name of the claim. */
  const boundVolumes = (): Record<string, string> =>
    Object.fromEntries(
      api.objectsIn(CLAIMS).map((object) => {
        const { metadata, spec, status } = object as CoreV1PersistentVolumeClaim;
        const isComplete =
          annotationOf({ metadata: metadata ?? {} }, STORAGE_NAMES.bindCompleted) !== undefined && status?.phase === 'Bound';
        return [metadata?.name ?? '', isComplete ? (spec?.volumeName ?? '') : ''];
      }),
    );
  const phaseOf = (name: string): string | undefined => (api.get(VOLUMES, '', name) as CoreV1PersistentVolume | undefined)?.status?.phase;
  const stop = async (): Promise<void> => {
    abort.abort();
    await clock.advanceAsync(0);
    await stopped;
  };
  return { ...fake, start, stop, boundVolumes, phaseOf, reasons };
}

describe('the volume binder', () => {
  test('binds each of many claims to a volume of its own while its informers are behind', async () => {
    const { api, clock, start, stop, boundVolumes } = await startController();
    const names = Array.from({ length: 20 }, (_, number) => `x${number}`);
    for (const name of names) api.put(VOLUMES, { ...volume(name), status: { phase: 'Available' } });
    for (const name of names) api.put(CLAIMS, claim(name));
    for (const collection of [VOLUMES, CLAIMS]) api.holdWatches(collection);
    await start();
    await clock.advanceAsync(PERIOD_MS / 2);
    expect(Object.values(boundVolumes()).sort()).toEqual([...names].sort());
    await stop();
  });

  test('does not repeat its writes when the informer delivers the states before them', async () => {
    const { api, clock, start, stop, boundVolumes } = await startController();
    api.put(VOLUMES, { ...volume('v'), status: { phase: 'Available' } });
    await start();
    for (const collection of [VOLUMES, CLAIMS]) api.holdWatches(collection);
    api.put(CLAIMS, claim('c'));
    api.releaseWatches(CLAIMS);
    await clock.advanceAsync(1_000);
    expect(boundVolumes()).toEqual({ c: 'v' });
    const before = api.requests.length;
    const states = api.version;
    // Delivers the held events one after the other, so that the informer shows each state between the writes.
    api.releaseWatches(VOLUMES);
    await clock.advanceAsync(PERIOD_MS);
    expect(api.requests.slice(before).filter((request) => request.startsWith('PUT'))).toEqual([]);
    expect(api.version).toBe(states);
    await stop();
  });

  test('completes a binding that another process left half done', async () => {
    const { api, clock, start, stop, boundVolumes, phaseOf } = await startController();
    api.put(CLAIMS, { ...claim('c'), metadata: { ...claim('c').metadata, uid: 'u' } });
    const reserved = { ...volume('v').spec, claimRef: { namespace: 'n', name: 'c', uid: 'u' } };
    api.put(VOLUMES, { ...volume('v'), spec: reserved });
    await start();
    await clock.advanceAsync(1_000);
    expect(boundVolumes()).toEqual({ c: 'v' });
    expect(phaseOf('v')).toBe('Bound');
    await stop();
  });

  test('repeats a step that failed, and records no Event for it', async () => {
    const { api, clock, start, stop, boundVolumes, reasons } = await startController();
    const refusals = [statusResponse(409, 'Conflict'), statusResponse(500, 'InternalError')];
    api.intercept = ({ method, path }) => (method === 'PUT' && path.includes('/persistentvolumeclaims/') ? refusals.shift() : undefined);
    api.put(VOLUMES, { ...volume('v'), status: { phase: 'Available' } });
    api.put(CLAIMS, claim('c'));
    await start();
    await clock.advanceAsync(5_000);
    expect(boundVolumes()).toEqual({ c: 'v' });
    expect(refusals).toEqual([]);
    expect(reasons).toEqual([]);
    await stop();
  });

  test('binds a claim that waits within a second after a volume for it appears', async () => {
    const { api, clock, start, stop, boundVolumes } = await startController();
    for (const name of ['large', 'small']) api.put(CLAIMS, claim(name, name === 'large' ? '9Gi' : '1Gi'));
    await start();
    await clock.advanceAsync(100);
    expect(boundVolumes()).toEqual({ large: '', small: '' });
    api.put(VOLUMES, volume('v'));
    await clock.advanceAsync(1_500);
    expect(boundVolumes()).toEqual({ large: '', small: 'v' });
    await stop();
  });

  test('does not release a volume whose claim the informer does not show yet', async () => {
    const { api, clock, start, stop, phaseOf } = await startController();
    await start();
    api.holdWatches(CLAIMS);
    const created = api.put(CLAIMS, { ...claim('c'), spec: { ...claim('c').spec, volumeName: 'v' } }) as CoreV1PersistentVolumeClaim;
    const claimRef = { namespace: 'n', name: 'c', uid: created.metadata?.uid ?? '' };
    api.put(VOLUMES, { ...volume('v'), spec: { ...volume('v').spec, claimRef } });
    await clock.advanceAsync(1_000);
    expect(phaseOf('v')).toBe('Bound');
    await stop();
  });

  test('releases the volume of a claim that is deleted while it is bound', async () => {
    const { api, clock, start, stop, phaseOf } = await startController();
    api.put(VOLUMES, { ...volume('v'), status: { phase: 'Available' } });
    api.put(CLAIMS, claim('c'));
    api.intercept = ({ method, path }) => {
      if (method === 'PUT' && path.includes('/persistentvolumeclaims/')) api.remove(CLAIMS, 'n', 'c');
      return undefined;
    };
    await start();
    await clock.advanceAsync(5_000);
    expect(phaseOf('v')).toBe('Released');
    await stop();
  });

  test.each([
    ['no namespace', { name: 'n', uid: 'u' }],
    ['no name', { namespace: 'n', uid: 'u' }],
    ['neither name nor namespace', { uid: 'u' }],
    ['a name with a slash', { namespace: 'n', name: 'c/d', uid: 'u' }],
  ])('releases a volume whose claimRef has %s, and lists no claims for it', async (_, claimRef) => {
    const { api, clock, start, stop, phaseOf } = await startController();
    api.put(VOLUMES, { ...volume('v'), spec: { ...volume('v').spec, claimRef } });
    await start();
    await clock.advanceAsync(5_000);
    // With the final slash: requests for one claim, and those that an empty name would make a list.
    const reads = api.requests.filter((request) => /^GET \S*persistentvolumeclaims\//.test(request));
    expect(phaseOf('v')).toBe('Released');
    expect(reads.filter((request) => !request.endsWith('/c%2Fd'))).toEqual([]);
    await stop();
  });

  test('does not bind a claim to a volume whose claimRef has its namespace in the name', async () => {
    const { api, clock, start, stop, boundVolumes } = await startController();
    api.put(VOLUMES, { ...volume('v'), spec: { ...volume('v').spec, claimRef: { name: 'n/c' } }, status: { phase: 'Available' } });
    api.put(CLAIMS, claim('c'));
    await start();
    await clock.advanceAsync(5_000);
    expect(boundVolumes()).toEqual({ c: '' });
    await stop();
  });
});
