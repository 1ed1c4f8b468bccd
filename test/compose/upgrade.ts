/**
 * Upgrades a cluster from one release to the next as docs/guide/upgrades.md says, with its data: objects of more than forty kinds are written before; while servers of both releases
 * are there, each is asked by itself and has to tell the same, see the other's writes and tell them to who watches; afterwards all is there as it was written.
 */
import { load } from 'js-yaml';
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { discoverResources } from '../../shared/client/rest/discovery';
import { ApiError } from '../../shared/client/rest/api-error';
import { collectBody } from '../../shared/client/rest/json-body';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { canonicalApiVersion } from '../../shared/names/dialect';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { manifests } from '../support/manifest-tables';
import { connected, type Connected } from './client';
import { compose, containers, docker, IMAGE, scale, wait } from './engine';
import { differences, kindsIn, recordsOf, type Records } from './records';

const NAMESPACE = 'kept';
const MAPS = resourceOf('core.v1.ConfigMap');
/** What controllers are there to take away: a node that is silent, a pod whose node is not there, endpoints without a service (when the controller starts). */
const LEFT_OUT: ReadonlySet<string> = new Set(['Node', 'Pod', 'Endpoints']);
const REST_LOOKS = 90;
const LOOK_MS = 1_000;
const MOST_TOLD = 5;
const WATCH_SECONDS = 60;
const ANSWER_BYTES = 64 * 1024 * 1024;

const DEFINED: readonly JsonObject[] = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ships.kept.example.com' },
    spec: {
      group: 'kept.example.com',
      scope: 'Namespaced',
      names: { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { masts: { type: 'integer', default: 3 } } } },
            },
          },
        },
      ],
    },
  },
];
const SHIPS: Resource = { group: 'kept.example.com', version: 'v1', resource: 'ships', kind: 'Ship', namespaced: true };

interface Server extends Connected {
  readonly container: string;
}

export class Upgrade {
  constructor(
    private readonly config: ClientConfig,
    private readonly client: RestClient,
    /** The image of the next release. */
    private readonly after: string,
  ) {}

  async run(): Promise<string> {
    await this.write();
    const before = await this.atRest();
    const started = performance.now();
    await docker('tag', this.after, IMAGE);
    // A new release may need keys in folders that did not exist before.
    await compose('up', '--no-deps', 'pki');
    const old = await containers('apiserver');
    await scale(2 * old.length);
    const beside = await this.beside(old, before);
    for (const container of old) {
      await docker('stop', '--time', '45', container);
      await docker('rm', container);
    }
    const others = (await compose('config', '--services')).split('\n').filter((service) => !/^(pki|etcd\d|front|apiserver)$/.test(service));
    await compose('up', '--detach', '--no-deps', '--wait', ...others);
    const took = performance.now() - started;
    await allRun(this.after);
    none('after the upgrade', differences(before, await recordsOf(this.client)));
    const what = `${before.size} objects of ${kindsIn(before)} kinds as before`;
    return `${(took / 1000).toFixed(1)} s, ${what}; ${beside}`;
  }

  private async write(): Promise<void> {
    const { client } = this;
    await client.create(resourceOf('core.v1.Namespace'), { metadata: { name: NAMESPACE } });
    const { kinds } = await discoverResources(client);
    for (const object of [...parsed(), ...DEFINED]) {
      const kind = stringAt(object, 'kind') ?? '';
      const resource = kinds.get(`${canonicalApiVersion(stringAt(object, 'apiVersion') ?? '')}/${kind}`);
      if (resource === undefined) throw new Error(`${kind} is not served`);
      if (LEFT_OUT.has(kind)) continue;
      const metadata = { ...objectAt(object, 'metadata'), ...(resource.namespaced && { namespace: NAMESPACE }) };
      await client.create(resource, { ...object, metadata });
    }
    const ship = (): Promise<unknown> => client.create(SHIPS, { metadata: { namespace: NAMESPACE, name: 'mary' }, spec: {} });
    await until('the definition is served', async () => (await ship().catch(notYet)) !== undefined);
  }

  /** When no controller has anything left to do. */
  private async atRest(): Promise<Records> {
    let last = await recordsOf(this.client);
    let moved: readonly string[] = [];
    for (let left = REST_LOOKS, still = 0; left > 0; left -= 1) {
      await wait(LOOK_MS);
      const now = await recordsOf(this.client);
      moved = differences(last, now);
      still = moved.length === 0 && now.size === last.size ? still + 1 : 0;
      last = now;
      if (still === STILL_LOOKS) return now;
    }
    throw new Error(`the cluster does not come to rest: ${moved.slice(0, MOST_TOLD).join('; ')}`);
  }

  private async beside(old: readonly string[], before: Records): Promise<string> {
    const both = await Promise.all((await containers('apiserver')).map((container) => this.server(container)));
    const isOld = ({ container }: Server): boolean => old.includes(container);
    const sides = [both.filter(isOld), both.filter((server) => !isOld(server))];
    try {
      const releases = await Promise.all(both.map(({ container }) => docker('inspect', '--format', '{{.Image}}', container)));
      if (new Set(releases).size !== 2) throw new Error('both servers have the same image: there is nothing to upgrade');
      const begun = await Promise.all(sides.map(answered));
      for (const server of both)
        none(`by ${isOld(server) ? 'an old' : 'a new'} server`, differences(before, await recordsOf(server.client)));
      await Promise.all(
        both.flatMap((one) =>
          both
            .filter((other) => other !== one)
            .map((other, index) => exchange(one, other, `exchanged-${one.container.slice(0, 12)}-${index}`)),
        ),
      );
      await wait(BESIDE_MS);
      const ended = await Promise.all(sides.map(answered));
      const [byOld = 0, byNew = 0] = ended.map((count, index) => count - (begun[index] ?? 0));
      if (byOld === 0 || byNew === 0) throw new Error(`side by side the old servers answered ${byOld} requests and the new ones ${byNew}`);
      return `side by side ${sides[0]?.length} old servers answered ${byOld} requests, ${sides[1]?.length} new ones ${byNew}`;
    } finally {
      for (const { transport } of both) transport.close();
    }
  }

  /** One that is asked by itself and not through the balancer. */
  private async server(container: string): Promise<Server> {
    const address = await docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', container);
    const config = { ...this.config, servers: [new URL(`https://${address}:6443`)], tls: { ...this.config.tls, servername: 'localhost' } };
    return { container, ...connected(config) };
  }
}

const STILL_LOOKS = 5;
/** For so long the load is shared between both. */
const BESIDE_MS = 5_000;

/** A write through one is in the next read through the other, and those who watch either are told the same versions, each once. */
async function exchange(one: Server, other: Server, name: string): Promise<void> {
  const place = { namespace: NAMESPACE, name };
  const made = await one.client.create(MAPS, { metadata: place, data: { by: 'one' } });
  const told = [one, other].map(({ client }) => versionsOf(client, name, made.resourceVersion));
  const seen = await other.client.get(MAPS, place);
  if (seen.resourceVersion !== made.resourceVersion || seen.uid !== made.uid)
    throw new Error(`${name}: a write through one server is not in the other's`);
  const changed = await other.client.update(MAPS, { ...seen.body, data: { by: 'other' } });
  const again = await one.client.update(MAPS, { ...(await one.client.get(MAPS, place)).body, data: { by: 'one again' } });
  await other.client.delete(MAPS, place);
  const wanted = ['MODIFIED', changed.resourceVersion, 'MODIFIED', again.resourceVersion, 'DELETED'].join(' ');
  for (const events of await Promise.all(told))
    if (events !== wanted) throw new Error(`${name}: a watch told ${events} instead of ${wanted}`);
}

async function versionsOf(client: RestClient, name: string, resourceVersion: string): Promise<string> {
  const told: string[] = [];
  const which = { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` };
  for await (const event of client.watch(MAPS, { from: { resourceVersion }, timeoutSeconds: WATCH_SECONDS, ...which })) {
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'ERROR') throw event.error;
    if (event.type === 'DELETED') return [...told, event.type].join(' ');
    told.push(event.type, event.object.resourceVersion);
  }
  return told.join(' ');
}

/** Requests for which these servers have had an answer. */
async function answered(servers: readonly Server[]): Promise<number> {
  const counts = await Promise.all(
    servers.map(async ({ transport }) => {
      const response = await transport.send({
        method: 'GET',
        path: '/metrics',
        headers: {},
        signal: AbortSignal.timeout(WATCH_SECONDS * 1000),
      });
      const text = (await collectBody(response.body, ANSWER_BYTES)).toString('utf8');
      return [...text.matchAll(/^apiserver_request_total\{[^}]*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Every program is of the next release, none of the other's is left. */
async function allRun(image: string): Promise<void> {
  const wanted = await docker('inspect', '--format', '{{.Id}}', image);
  const running = (await compose('ps', '--format', '{{.Service}} {{.ID}}'))
    .split('\n')
    .filter((line) => !/^(pki|etcd\d|front) /.test(line));
  for (const line of running) {
    const [service = '', id = ''] = line.split(' ');
    if ((await docker('inspect', '--format', '{{.Image}}', id)) !== wanted) throw new Error(`${service} still runs the old program`);
  }
}

function none(when: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${when} ${found.length} objects are not as before: ${found.slice(0, MOST_TOLD).join('; ')}`);
}

function parsed(): readonly JsonObject[] {
  return manifests(NAMESPACE)
    .split(/^---$/m)
    .map((text): JsonValue => JSON.parse(JSON.stringify(load(text))))
    .filter(isObject);
}

function notYet(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 404) return undefined;
  throw error;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let left = REST_LOOKS; left > 0; left -= 1) {
    if (await holds()) return;
    await wait(LOOK_MS);
  }
  throw new Error(`${what}: never`);
}
