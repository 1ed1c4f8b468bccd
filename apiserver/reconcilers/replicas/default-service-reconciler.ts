/**
 * Reconciles the Service `default/kubernetes` of the API servers, with Endpoints and EndpointSlices of the live replicas. Every replica runs this through the ordinary write
 * path; a second one finds nothing to change. A missing Service is created, an existing one is not changed. While no replica is known, the endpoints are left unchanged,
 * because the replica that runs this is alive.
 */
import { parseIpAddress } from '../../../shared/values/ip-address';
import { equalJson, objectAt, own, type JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { shownIn } from '../../allocation/pool';
import type { Ledger } from '../../allocation/service-allocator';
import type { Cache } from '../../cache/cache';
import type { Resource, Writer } from '../../registry/verbs';
import { parseEntry } from '../../registry/object/stored-object';
import type { ReplicaAddress, Replicas } from './replicas';
import { keepUp, ownContext, ownWrite, watchOwn } from '../reconciler';

const NAMESPACE = 'default';

export interface DefaultServiceOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly ledger: Ledger;
  readonly replicas: Replicas;
  readonly services: Resource;
  readonly endpoints: Resource;
  readonly slices: Resource;
  readonly names: GeneratedNames;
  /** Of this server. */
  readonly port: number;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface DefaultService {
  /** Resolves once the Service has been seen, or its address turned out to be somebody else's. */
  readonly complete: Promise<void>;
  /** One look, at once. */
  pass(): Promise<void>;
  stop(): void;
}

export function keepDefaultService(options: DefaultServiceOptions): DefaultService {
  const { cache, replicas, failed } = options;

  /** False when something is to be tried again soon. */
  async function pass(): Promise<boolean> {
    try {
      await keep(options);
      return true;
    } catch (error) {
      failed(`the Service ${options.names.defaultService} could not be kept in order`, error);
      // A refusal is not going to turn into consent by itself.
      return error instanceof StatusError && error.reason === 'Invalid';
    }
  }

  const upkeep = keepUp(options, pass);
  const isOurs = (key: string): boolean => key.startsWith(`${NAMESPACE}/${options.names.defaultService}`);
  const watches = [options.services, options.endpoints, options.slices].map((resource) =>
    watchOwn(cache, resource, { namespace: NAMESPACE }, (_type, key) => void (isOurs(key) && upkeep.look())),
  );
  replicas.onChange(() => void (cache.isReady && upkeep.look()));
  return {
    complete: upkeep.complete,
    pass: () => upkeep.look(),
    stop() {
      upkeep.stop();
      for (const watch of watches) watch.close();
    },
  };
}

async function keep(options: DefaultServiceOptions): Promise<void> {
  const { names, services, endpoints, slices, replicas } = options;
  const name = names.defaultService;
  await create(options, services, name, serviceOf(options));
  const groups = groupsOf(replicas.addresses);
  if (groups.length === 0) return;
  const skipsMirror = { [`endpointslice.${names.prefix}/skip-mirror`]: 'true' };
  await put(options, endpoints, name, skipsMirror, { subsets: groups.map(subsetOf) });
  const ofService = { [`${names.prefix}/service-name`]: name };
  const main = groups.find(({ family }) => family === options.ledger.families[0]);
  const wanted = new Map(groups.map((group) => [group === main ? name : `${name}-${group.family}-${group.port}`.toLowerCase(), group]));
  for (const [slice, group] of wanted) await put(options, slices, slice, ofService, sliceOf(group));
  for (const entry of options.cache.snapshot(slices.stored).range(`${NAMESPACE}/`, `${NAMESPACE}0`)) {
    const found = entry.key.slice(NAMESPACE.length + 1);
    if (Object.entries(ofService).some(([key, value]) => entry.labels[key] !== value) || wanted.has(found)) continue;
    await remove(options, slices, found);
  }
}

function serviceOf({ names, ledger, port }: DefaultServiceOptions): JsonObject {
  const first = ledger.addresses(ledger.families[0] ?? 'IPv4')?.first ?? '';
  return {
    metadata: { labels: { component: 'apiserver', provider: names.defaultService } },
    spec: {
      clusterIP: shownIn(first),
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
      ipFamilyPolicy: 'SingleStack',
    },
  };
}

/** The replicas of one family that listen on the same port. */
interface Group {
  readonly family: 'IPv4' | 'IPv6';
  readonly port: number;
  readonly ips: readonly string[];
}

function groupsOf(addresses: readonly ReplicaAddress[]): readonly Group[] {
  const groups = new Map<string, Group & { readonly ips: string[] }>();
  for (const { ip, port } of addresses) {
    const family = parseIpAddress(ip)?.family === 6 ? 'IPv6' : 'IPv4';
    const key = `${family}/${port}`;
    const group = groups.get(key) ?? { family, port, ips: [] };
    groups.set(key, group);
    if (!group.ips.includes(ip)) group.ips.push(ip);
  }
  return [...groups.values()].sort((one, other) =>
    one.family < other.family ? -1 : one.family > other.family ? 1 : one.port - other.port,
  );
}

function subsetOf({ ips, port }: Group): JsonObject {
  return { addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] };
}

function sliceOf({ family, ips, port }: Group): JsonObject {
  return {
    addressType: family,
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
}

async function create(options: DefaultServiceOptions, resource: Resource, name: string, object: JsonObject): Promise<void> {
  const exists = (): boolean => options.cache.get(resource.stored, `${NAMESPACE}/${name}`) !== undefined;
  if (exists()) return;
  const value: JsonObject = { ...object, metadata: { ...objectAt(object, 'metadata'), name, namespace: NAMESPACE } };
  try {
    await options.writer.create(
      ownContext(options.clock),
      resource,
      NAMESPACE,
      { value, duplicates: [], format: 'json' },
      ownWrite(options.names),
    );
  } catch (error) {
    // Another replica was quicker: it has the name, and the address. A refusal is proven with a cache that shows so.
    if (!exists()) throw error;
  }
}

/** Makes an object have these labels and members, whatever else it has. */
async function put(
  options: DefaultServiceOptions,
  resource: Resource,
  name: string,
  labels: JsonObject,
  members: JsonObject,
): Promise<void> {
  const entry = options.cache.get(resource.stored, `${NAMESPACE}/${name}`);
  if (entry === undefined) {
    await create(options, resource, name, { metadata: { labels }, ...members });
    return;
  }
  const { object } = parseEntry(entry);
  const metadata = objectAt(object, 'metadata') ?? {};
  const value: JsonObject = { ...object, ...members, metadata: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...labels } } };
  const differs = (member: string): boolean => !equalJson(own(value, member), own(object, member));
  if (!['metadata', ...Object.keys(members)].some(differs)) return;
  try {
    const body = { value, duplicates: [], format: 'json' } as const;
    await options.writer.update(
      ownContext(options.clock),
      resource,
      { namespace: NAMESPACE, name },
      undefined,
      body,
      ownWrite(options.names),
    );
  } catch (error) {
    // Another replica was quicker; its change brings the next look.
    if (!(error instanceof StatusError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
  }
}

async function remove(options: DefaultServiceOptions, resource: Resource, name: string): Promise<void> {
  try {
    await options.writer.delete(ownContext(options.clock), resource, { namespace: NAMESPACE, name }, { dryRun: false });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
  }
}
