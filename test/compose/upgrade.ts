/**
 * Upgrades a cluster from one release to the next as docs/guide/upgrades.md describes, with its data: objects of more
 * than forty kinds are written before. While servers of both releases run, each is read directly and must return the
 * same objects, see the writes of the other and deliver them to watches. After the upgrade all objects must be
 * unchanged.
 */
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { discoverResources } from '../../shared/client/rest/discovery';
import { ApiError } from '../../shared/client/rest/api-error';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { canonicalApiVersion } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { customResourceDefinition } from '../support/objects/custom-resource-definition';
import { connectClient } from '../support/connect-client';
import { sendOnce } from '../support/http/send-once';
import { waitUntil } from '../support/programs';
import { manifestObjects } from '../support/objects/manifest-objects';
import { manifests } from '../support/scenarios/manifest-tables';
import { compose, containerIds, docker, IMAGE, MEMBERS, scaleApiServers, sleep } from './container-engine';
import { findDifferences, countKinds, readRecords, type Records } from './object-records';

const NAMESPACE = 'kept';
const MAPS = resourceOf('core.v1.ConfigMap');
/**
 * Kinds with objects that controllers would delete: a node that sends no heartbeats, a pod on a missing node, and
 * Endpoints without a Service (when the controller starts).
 */
const NOT_CREATED: ReadonlySet<string> = new Set(['Node', 'Pod', 'Endpoints']);
/** A minute and a half: after an upgrade each controller waits for the Lease of its predecessor. */
const MAX_POLLS = 90;
const POLL_MS = 1_000;
/** Objects that an error names. */
const MAX_SHOWN = 5;
/** The cluster is steady when as many polls show no change. */
const STEADY_POLLS = 5;
/** How long both releases share the load. */
const SIDE_BY_SIDE_MS = 5_000;
/** Time limit of a watch, and of reading the metrics of a server. */
const TIMEOUT_SECONDS = 60;
/** The time that docs/guide/upgrades.md gives an API server to shut down; the engine kills it afterwards. */
const STOP_TIMEOUT_SECONDS = 45;
/** Services that an upgrade leaves alone: etcd, the load balancer, and `pki`, which ends when it has written its files. */
const NOT_UPGRADED: ReadonlySet<string> = new Set(['pki', 'front', ...MEMBERS]);
const API_SERVER = 'apiserver';

const SHIP_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  ...customResourceDefinition({
    plural: 'ships',
    kind: 'Ship',
    group: 'kept.example.com',
    schema: { properties: { spec: { type: 'object', properties: { masts: { type: 'integer', default: 3 } } } } },
  }),
};
const SHIPS: Resource = { group: 'kept.example.com', version: 'v1', resource: 'ships', kind: 'Ship', namespaced: true };

interface Server {
  readonly container: string;
  readonly client: RestClient;
  readonly config: ClientConfig;
}

export class Upgrade {
  constructor(
    private readonly config: ClientConfig,
    private readonly client: RestClient,
    /** The image of the next release. */
    private readonly nextImage: string,
  ) {}

  /**
   * Upgrades every program of a cluster that runs the previous release, while the load of the caller continues. Resolves
   * with a line to print. Rejects when an object changes, when servers disagree, or when a program is not upgraded. From
   * then on {@link IMAGE} is the next release.
   */
  async run(): Promise<string> {
    await this.createObjects();
    const before = await this.waitUntilSteady();
    const started = performance.now();
    await this.tagNextRelease();
    const old = await containerIds(API_SERVER);
    await startServersBeside(old);
    const sideBySide = await this.runSideBySide(old, before);
    await removeServers(old);
    await replaceControllers();
    const durationMs = performance.now() - started;
    await checkAllUpgraded(this.nextImage);
    expectNoDifferences('after the upgrade', findDifferences(before, await readRecords(this.client)));
    const summary = `${before.size} objects of ${countKinds(before)} kinds as before`;
    return `${(durationMs / 1000).toFixed(1)} s, ${summary}; ${sideBySide}`;
  }

  /** Makes every container that Compose creates from here on run the next release. */
  private async tagNextRelease(): Promise<void> {
    await docker('tag', this.nextImage, IMAGE);
    // A new release may need keys in folders that did not exist before.
    await compose('up', '--no-deps', 'pki');
  }

  private async createObjects(): Promise<void> {
    const { client } = this;
    await client.of(resourceOf('core.v1.Namespace')).create({ metadata: { name: NAMESPACE } });
    const { kinds } = await discoverResources(client);
    for (const object of [...manifestObjects(manifests(NAMESPACE)), SHIP_DEFINITION]) {
      const kind = stringAt(object, 'kind') ?? '';
      const resource = kinds.get(`${canonicalApiVersion(stringAt(object, 'apiVersion') ?? '')}/${kind}`);
      if (resource === undefined) throw new Error(`${kind} is not served`);
      if (NOT_CREATED.has(kind)) continue;
      const metadata = { ...objectAt(object, 'metadata'), ...(resource.namespaced && { namespace: NAMESPACE }) };
      await client
        .of(resource)
        .namespace(resource.namespaced ? NAMESPACE : '')
        .create({ ...object, metadata });
    }
    const createShip = (): Promise<unknown> =>
      client
        .of(SHIPS)
        .namespace(NAMESPACE)
        .create({ metadata: { name: 'mary' }, spec: {} });
    await waitUntil('the definition to be served', () => createShip().catch(ignoreNotFound), {
      timeoutMs: MAX_POLLS * POLL_MS,
      pollMs: POLL_MS,
    });
  }

  /** Waits until no controller has anything left to do. */
  private async waitUntilSteady(): Promise<Records> {
    let last = await readRecords(this.client);
    let changed: readonly string[] = [];
    for (let left = MAX_POLLS, unchangedPolls = 0; left > 0; left -= 1) {
      await sleep(POLL_MS);
      const now = await readRecords(this.client);
      changed = findDifferences(last, now);
      // Objects that were added are no difference, but they change the size.
      unchangedPolls = changed.length === 0 && now.size === last.size ? unchangedPolls + 1 : 0;
      last = now;
      if (unchangedPolls === STEADY_POLLS) return now;
    }
    throw new Error(`the cluster does not become steady: ${changed.slice(0, MAX_SHOWN).join('; ')}`);
  }

  /** Checks the servers of both releases while they share the load; returns how many requests each side completed. */
  private async runSideBySide(old: readonly string[], before: Records): Promise<string> {
    const servers = await Promise.all((await containerIds(API_SERVER)).map((container) => this.connectTo(container)));
    const isOld = ({ container }: Server): boolean => old.includes(container);
    const oldServers = servers.filter(isOld);
    const newServers = servers.filter((server) => !isOld(server));
    try {
      const releases = await Promise.all(servers.map(({ container }) => docker('inspect', '--format', '{{.Image}}', container)));
      const images = new Set(releases).size;
      if (images !== 2) throw new Error(`the servers run ${images} different images instead of 2, one of each release`);
      const completedBefore = { byOld: await countCompletedRequests(oldServers), byNew: await countCompletedRequests(newServers) };
      for (const server of servers)
        expectNoDifferences(`by ${isOld(server) ? 'an old' : 'a new'} server`, findDifferences(before, await readRecords(server.client)));
      await Promise.all(
        servers.flatMap((first) =>
          servers
            .filter((second) => second !== first)
            .map((second, index) => checkExchange(first, second, `exchanged-${first.container.slice(0, 12)}-${index}`)),
        ),
      );
      await sleep(SIDE_BY_SIDE_MS);
      const byOld = (await countCompletedRequests(oldServers)) - completedBefore.byOld;
      const byNew = (await countCompletedRequests(newServers)) - completedBefore.byNew;
      if (byOld === 0 || byNew === 0) throw new Error(`side by side the old servers completed ${byOld} requests and the new ones ${byNew}`);
      return `side by side ${oldServers.length} old servers completed ${byOld} requests, ${newServers.length} new ones ${byNew}`;
    } finally {
      for (const { client } of servers) client.close();
    }
  }

  /** Connects to one server directly instead of through the load balancer. */
  private async connectTo(container: string): Promise<Server> {
    const address = await docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', container);
    const config = { ...this.config, servers: [new URL(`https://${address}:6443`)], tls: { ...this.config.tls, servername: 'localhost' } };
    return { container, client: connectClient(config), config };
  }
}

/** Starts as many servers of the next release as there are old ones, which continue. */
const startServersBeside = (old: readonly string[]): Promise<void> => scaleApiServers(2 * old.length);

/** Stops servers one after the other, each with time to shut down. */
async function removeServers(containers: readonly string[]): Promise<void> {
  for (const container of containers) {
    await docker('stop', '--time', String(STOP_TIMEOUT_SECONDS), container);
    await docker('rm', container);
  }
}

/** Replaces the remaining programs; the API servers are upgraded already. */
async function replaceControllers(): Promise<void> {
  const services = (await compose('config', '--services')).split('\n');
  const controllers = services.filter((service) => service !== API_SERVER && !NOT_UPGRADED.has(service));
  await compose('up', '--detach', '--no-deps', '--wait', ...controllers);
}

/**
 * Checks that a write through either server is in the next read through the other, and that watches of both deliver the
 * same versions, each once. The servers write one object in turn.
 */
async function checkExchange(first: Server, second: Server, name: string): Promise<void> {
  const throughFirst = first.client.of(MAPS).namespace(NAMESPACE);
  const throughSecond = second.client.of(MAPS).namespace(NAMESPACE);
  const created = await throughFirst.create({ metadata: { name }, data: { by: 'one' } });
  const watched = [first, second].map(({ client }) => watchUntilDeleted(client, name, created.resourceVersion));
  const seen = await throughSecond.get(name);
  if (seen.resourceVersion !== created.resourceVersion || seen.uid !== created.uid)
    throw new Error(`${name}: a write through one server is not in the other's`);
  const changed = await throughSecond.update({ ...seen.body, data: { by: 'other' } });
  const changedAgain = await throughFirst.update({ ...(await throughFirst.get(name)).body, data: { by: 'one again' } });
  await throughSecond.delete(name);
  const expected = ['MODIFIED', changed.resourceVersion, 'MODIFIED', changedAgain.resourceVersion, 'DELETED'].join(' ');
  for (const events of await Promise.all(watched))
    if (events !== expected) throw new Error(`${name}: a watch delivered ${events} instead of ${expected}`);
}

/**
 * Watches an object until it is deleted or the time limit passes. Resolves with the types of the events and the versions
 * of the object: `MODIFIED 12 MODIFIED 15 DELETED`.
 */
async function watchUntilDeleted(client: RestClient, name: string, resourceVersion: string): Promise<string> {
  const events: string[] = [];
  const fieldSelector = `metadata.name=${name}`;
  for await (const event of client
    .of(MAPS)
    .namespace(NAMESPACE)
    .watch({ from: { resourceVersion }, timeoutSeconds: TIMEOUT_SECONDS, fieldSelector })) {
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'ERROR') throw event.error;
    if (event.type === 'DELETED') return [...events, event.type].join(' ');
    events.push(event.type, event.object.resourceVersion);
  }
  return events.join(' ');
}

/** The number of requests that these servers have completed. */
async function countCompletedRequests(servers: readonly Server[]): Promise<number> {
  const counts = await Promise.all(servers.map(({ config }) => readCompletedRequests(config)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readCompletedRequests({ servers, tls }: ClientConfig): Promise<number> {
  const { hostname, port } = new URL(servers[0] ?? '');
  const { text } = await sendOnce({ ...tls, hostname, port, path: '/metrics', timeout: TIMEOUT_SECONDS * 1000 });
  return [...text.matchAll(/^apiserver_request_total\{[^}]*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Checks that every running program of the control plane runs the next release. */
async function checkAllUpgraded(image: string): Promise<void> {
  const expectedImage = await docker('inspect', '--format', '{{.Id}}', image);
  const lines = (await compose('ps', '--format', '{{.Service}} {{.ID}}')).split('\n');
  for (const line of lines) {
    const [service = '', container = ''] = line.split(' ');
    if (NOT_UPGRADED.has(service)) continue;
    const runningImage = await docker('inspect', '--format', '{{.Image}}', container);
    if (runningImage !== expectedImage) throw new Error(`${service} still runs the old program`);
  }
}

function expectNoDifferences(when: string, differences: readonly string[]): void {
  if (differences.length > 0)
    throw new Error(`${when} ${differences.length} objects have changed: ${differences.slice(0, MAX_SHOWN).join('; ')}`);
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 404) return undefined;
  throw error;
}
