import { InformerPool } from '../../shared/client/informer/informer-pool';
import { resourceOf } from '../../shared/client/rest/resource';
import { silentLogger } from '../../shared/runtime/logger';
import type { JsonObject } from '../../shared/values/json';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { MetadataTrimmer } from './metadata-trimmer';
import { ResourceMonitors, type MonitorListener, type ResourceMonitorsOptions } from './resource-monitors';

const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
const served = (resource: string, kind: string, scope: string) => ({
  resource,
  responseKind: { kind },
  scope,
  verbs: ['delete', 'get', 'list', 'watch'],
});
const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  '/api': { items: [{ metadata: {}, versions: [{ version: 'v1', resources: [served('pods', 'Pod', 'Namespaced')] }] }] },
  '/apis': {
    items: [
      {
        metadata: { name: 'apiextensions.platform.io' },
        versions: [{ version: 'v1', resources: [served('customresourcedefinitions', 'CustomResourceDefinition', 'Cluster')] }],
      },
    ],
  },
};

type Overrides = Partial<Pick<ResourceMonitorsOptions, 'onDiscovered'> & Pick<MonitorListener, 'put' | 'remove'>>;

/** Monitors of a server with pods and definitions. `discovery.isDown` makes discovery fail; `pool` starts other informers. */
function setUp({ put, remove, ...overrides }: Overrides = {}) {
  const { api, client, clock, random } = fakeClient();
  let informers: InformerPool | undefined;
  const pool = (signal: AbortSignal): InformerPool =>
    (informers = new InformerPool({ client, clock, random, logger: silentLogger }, signal));
  const discovery = { isDown: false };
  api.intercept = ({ path }) => {
    const document = DOCUMENTS[path];
    if (document === undefined) return undefined;
    return discovery.isDown ? new Error('cut') : jsonResponse(200, document);
  };
  const abort = new AbortController();
  const ignore = (): void => undefined;
  const monitors = new ResourceMonitors({
    client,
    clock,
    random,
    logger: silentLogger,
    signal: abort.signal,
    trim: new MetadataTrimmer().trim,
    findInformer: (resource) => informers?.find(resource),
    listener: { put: put ?? ignore, remove: remove ?? ignore, resourceDeleted: ignore, forgetResource: ignore, synced: ignore },
    onDiscovered: ignore,
    onSyncTimeout: ignore,
    ...overrides,
  });
  return { api, clock, discovery, abort, monitors, pool };
}

test('ResourceMonitors stops during the first discovery without waiting for the next one', async () => {
  const { abort, monitors } = setUp({ onDiscovered: () => abort.abort() });
  // The manual clock does not advance, so a wait would never end.
  await monitors.run(() => undefined);
});

test('ResourceMonitors are not synced from the change of a definition until a discovery after it succeeds', async () => {
  const { api, clock, discovery, abort, monitors } = setUp({ onDiscovered: () => (wasSynced = monitors.areSynced) });
  let wasSynced: boolean | undefined;
  const ended = monitors.run(() => undefined);
  await clock.advanceAsync(1_000);
  expect(monitors.areSynced).toBe(true);
  discovery.isDown = true;
  api.put(DEFINITIONS, { metadata: { name: 'things.example.com' } });
  await clock.advanceAsync(1_000);
  expect(monitors.areSynced).toBe(false);
  discovery.isDown = false;
  await clock.advanceAsync(1_000);
  expect(wasSynced).toBe(false);
  expect(monitors.areSynced).toBe(true);
  abort.abort();
  await clock.advanceAsync(1_000);
  await ended;
});

test('ResourceMonitors stay synced when a periodic discovery fails', async () => {
  const { clock, discovery, abort, monitors } = setUp();
  const ended = monitors.run(() => undefined);
  await clock.advanceAsync(1_000);
  discovery.isDown = true;
  await clock.advanceAsync(40_000);
  expect(monitors.areSynced).toBe(true);
  abort.abort();
  await clock.advanceAsync(1_000);
  await ended;
});

test('ResourceMonitors follow the informer that another controller has started instead of listing the resource again', async () => {
  const shared = new AbortController();
  const pods = resourceOf('core.v1.Pod');
  const observed: string[] = [];
  const { api, clock, abort, monitors, pool } = setUp({
    put: ({ resource }, { name, body }) => observed.push(`+${resource}/${name} ${JSON.stringify(body)}`),
    remove: ({ name }) => observed.push(`-${name}`),
  });
  const informer = pool(shared.signal).of(pods);
  api.put('/api/v1/pods', { metadata: { namespace: 'n', name: 'a' }, spec: {} });
  const ended = monitors.run(() => undefined);
  await clock.advanceAsync(1_000);
  expect(monitors.areSynced).toBe(true);
  expect(observed).toEqual(['+pods/a {}']);
  api.remove('/api/v1/pods', 'n', 'a');
  await clock.advanceAsync(1_000);
  expect(observed.slice(1)).toEqual(['-a']);
  expect(api.requests.filter((request) => request.startsWith('GET /api/v1/pods?') && !request.includes('watch='))).toHaveLength(1);
  abort.abort();
  await clock.advanceAsync(1_000);
  await ended;
  api.put('/api/v1/pods', { metadata: { namespace: 'n', name: 'b' } });
  await clock.advanceAsync(1_000);
  expect(informer.get('n', 'b')).toBeDefined();
  expect(observed).toHaveLength(2);
  shared.abort();
  await clock.advanceAsync(1_000);
});
