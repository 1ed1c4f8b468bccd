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
import { compose, containerIds, docker, IMAGE, scaleApiServers, sleep } from './container-engine';
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
/** The time limit for a watch, and for reading the metrics of a server. */
const WATCH_SECONDS = 60;

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

  async run(): Promise<string> {
    await this.createObjects();
    const before = await this.waitUntilSteady();
    const started = performance.now();
    await docker('tag', this.nextImage, IMAGE);
    // A new release may need keys in folders that did not exist before.
    await compose('up', '--no-deps', 'pki');
    const old = await containerIds('apiserver');
    await scaleApiServers(2 * old.length);
    const sideBySide = await this.runSideBySide(old, before);
    for (const container of old) {
      await docker('stop', '--time', '45', container);
      await docker('rm', container);
    }
    const others = (await compose('config', '--services')).split('\n').filter((service) => !/^(pki|etcd\d|front|apiserver)$/.test(service));
    await compose('up', '--detach', '--no-deps', '--wait', ...others);
    const durationMs = performance.now() - started;
    await checkAllUpgraded(this.nextImage);
    expectNoDifferences('after the upgrade', findDifferences(before, await readRecords(this.client)));
    const summary = `${before.size} objects of ${countKinds(before)} kinds as before`;
    return `${(durationMs / 1000).toFixed(1)} s, ${summary}; ${sideBySide}`;
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
    const ship = (): Promise<unknown> =>
      client
        .of(SHIPS)
        .namespace(NAMESPACE)
        .create({ metadata: { name: 'mary' }, spec: {} });
    await waitUntil('the definition to be served', () => ship().catch(ignoreNotFound), { timeoutMs: MAX_POLLS * POLL_MS, pollMs: POLL_MS });
  }

  /** Waits until no controller has anything left to do. */
  private async waitUntilSteady(): Promise<Records> {
    let last = await readRecords(this.client);
    let changed: readonly string[] = [];
    for (let left = MAX_POLLS, unchangedPolls = 0; left > 0; left -= 1) {
      await sleep(POLL_MS);
      const now = await readRecords(this.client);
      changed = findDifferences(last, now);
      unchangedPolls = changed.length === 0 && now.size === last.size ? unchangedPolls + 1 : 0;
      last = now;
      if (unchangedPolls === STEADY_POLLS) return now;
    }
    throw new Error(`the cluster does not become steady: ${changed.slice(0, MAX_SHOWN).join('; ')}`);
  }

  /** Checks the servers of both releases while they share the load; returns how many requests each side completed. */
  private async runSideBySide(old: readonly string[], before: Records): Promise<string> {
    const servers = await Promise.all((await containerIds('apiserver')).map((container) => this.connectTo(container)));
    const isOld = ({ container }: Server): boolean => old.includes(container);
    const oldServers = servers.filter(isOld);
    const newServers = servers.filter((server) => !isOld(server));
    try {
      const releases = await Promise.all(servers.map(({ container }) => docker('inspect', '--format', '{{.Image}}', container)));
      if (new Set(releases).size !== 2) throw new Error('both servers have the same image: there is nothing to upgrade');
      const completedBefore = { byOld: await countCompletedRequests(oldServers), byNew: await countCompletedRequests(newServers) };
      for (const server of servers)
        expectNoDifferences(`by ${isOld(server) ? 'an old' : 'a new'} server`, findDifferences(before, await readRecords(server.client)));
      await Promise.all(
        servers.flatMap((writer) =>
          servers
            .filter((reader) => reader !== writer)
            .map((reader, index) => checkExchange(writer, reader, `exchanged-${writer.container.slice(0, 12)}-${index}`)),
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

/**
 * Checks that a write through one server is in the next read through the other, and that watches of both deliver the
 * same versions, each once.
 */
async function checkExchange(first: Server, second: Server, name: string): Promise<void> {
  const maps = first.client.of(MAPS).namespace(NAMESPACE);
  const others = second.client.of(MAPS).namespace(NAMESPACE);
  const created = await maps.create({ metadata: { name }, data: { by: 'one' } });
  const watched = [first, second].map(({ client }) => versionsOf(client, name, created.resourceVersion));
  const seen = await others.get(name);
  if (seen.resourceVersion !== created.resourceVersion || seen.uid !== created.uid)
    throw new Error(`${name}: a write through one server is not in the other's`);
  const changed = await others.update({ ...seen.body, data: { by: 'other' } });
  const again = await maps.update({ ...(await maps.get(name)).body, data: { by: 'one again' } });
  await others.delete(name);
  const expected = ['MODIFIED', changed.resourceVersion, 'MODIFIED', again.resourceVersion, 'DELETED'].join(' ');
  for (const events of await Promise.all(watched))
    if (events !== expected) throw new Error(`${name}: a watch delivered ${events} instead of ${expected}`);
}

/** The events of an object as types and resourceVersions, until it is deleted. */
async function versionsOf(client: RestClient, name: string, resourceVersion: string): Promise<string> {
  const events: string[] = [];
  const fieldSelector = `metadata.name=${name}`;
  for await (const event of client
    .of(MAPS)
    .namespace(NAMESPACE)
    .watch({ from: { resourceVersion }, timeoutSeconds: WATCH_SECONDS, fieldSelector })) {
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
  const { text } = await sendOnce({ ...tls, hostname, port, path: '/metrics', timeout: WATCH_SECONDS * 1000 });
  return [...text.matchAll(/^apiserver_request_total\{[^}]*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Checks that every program runs the next release. */
async function checkAllUpgraded(image: string): Promise<void> {
  const expectedImage = await docker('inspect', '--format', '{{.Id}}', image);
  const running = (await compose('ps', '--format', '{{.Service}} {{.ID}}'))
    .split('\n')
    .filter((line) => !/^(pki|etcd\d|front) /.test(line));
  for (const line of running) {
    const [service = '', id = ''] = line.split(' ');
    if ((await docker('inspect', '--format', '{{.Image}}', id)) !== expectedImage) throw new Error(`${service} still runs the old program`);
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
