/**
 * Reconciles the Service of the API servers (`default/kubernetes` in upstream's spelling), with Endpoints and
 * EndpointSlices of the live replicas. Every replica runs this through the ordinary write path; a second one finds
 * nothing to change. A missing Service is created, an existing one is not changed. While no replica is known, the
 * endpoints are left unchanged: at least the replica that runs this is alive.
 */
import { parseIpAddress } from '../../../shared/values/network/ip-address';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { CoreV1EndpointSubset, CoreV1Service, DiscoveryV1EndpointSlice } from '../../../shared/api/types/generated/members';
import { equalJson, ownMember, type JsonObject } from '../../../shared/values/json';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { addressOrPortIn } from '../../allocation/pool';
import type { ServiceAllocator } from '../../allocation/service-allocator';
import type { Cache } from '../../cache/cache';
import type { Resource, Writer } from '../../registry/verbs';
import { parseEntry } from '../../registry/object/stored-object';
import type { ReplicaAddress, Replicas } from './replicas';
import { startReconciler, watchForChanges } from '../reconciler';
import { hasReason, ignoreReasons, objectBody, serverContext, serverWriteOptions } from '../server-writes';

const NAMESPACE = 'default';

/** Dependencies of the reconciler, the resources that it writes, and the address of this server. */
export interface DefaultServiceReconcilerOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly allocator: ServiceAllocator;
  readonly replicas: Replicas;
  readonly services: Resource;
  readonly endpoints: Resource;
  readonly slices: Resource;
  readonly names: GeneratedNames;
  /** The secure port of this server. */
  readonly port: number;
  readonly clock: Clock;
  /** Called for each failure; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running reconciler of this replica. */
export interface DefaultServiceReconciler {
  /** Resolves when the Service exists, or was rejected as invalid: its address may belong to another Service. */
  readonly complete: Promise<void>;
  /** Makes a pass at once, or after the running one. */
  runPass(): Promise<void>;
  /** Starts no further pass; a running one continues. */
  stop(): void;
}

/** Makes a pass at once, after each change of the objects or of the live replicas, and every minute. */
export function startDefaultServiceReconciler(options: DefaultServiceReconcilerOptions): DefaultServiceReconciler {
  const { cache, replicas, onFailure } = options;

  /** Resolves with false when the pass must be repeated soon. */
  async function reconcileSafely(): Promise<boolean> {
    try {
      await reconcile(options);
      return true;
    } catch (error) {
      onFailure(`the Service ${options.names.defaultService} could not be reconciled`, error);
      // An invalid object remains invalid, so it is not retried soon.
      return hasReason(error, 'Invalid');
    }
  }

  const reconciler = startReconciler(options, reconcileSafely);
  // The Service and the Endpoints have this name; the names of the EndpointSlices begin with it.
  const isOwnKey = (key: string): boolean => key.startsWith(`${NAMESPACE}/${options.names.defaultService}`);
  const watches = [options.services, options.endpoints, options.slices].map((resource) =>
    watchForChanges(cache, resource, { namespace: NAMESPACE }, (_type, key) => {
      if (isOwnKey(key)) void reconciler.trigger();
    }),
  );
  replicas.onChange(() => {
    if (cache.isReady) void reconciler.trigger();
  });
  return {
    complete: reconciler.complete,
    runPass: () => reconciler.trigger(),
    stop() {
      reconciler.stop();
      for (const watch of watches) watch.close();
    },
  };
}

async function reconcile(options: DefaultServiceReconcilerOptions): Promise<void> {
  const { names, services, endpoints, replicas } = options;
  const name = names.defaultService;
  await createIfAbsent(options, services, name, serviceOf(options));
  const groups = endpointGroupsOf(replicas.addresses);
  if (groups.length === 0) return;
  const skipMirrorLabel = { [`endpointslice.${names.prefix}/skip-mirror`]: 'true' };
  await createOrUpdate(options, endpoints, name, { labels: skipMirrorLabel, members: { subsets: groups.map(subsetOf) } });
  await reconcileSlices(options, groups);
}

/** Writes an EndpointSlice for each group, and deletes the other EndpointSlices of the Service. */
async function reconcileSlices(options: DefaultServiceReconcilerOptions, groups: readonly EndpointGroup[]): Promise<void> {
  const { names, slices } = options;
  const name = names.defaultService;
  const serviceNameLabel = `${names.prefix}/service-name`;
  // The first slice of the primary family has the name of the Service; the others are `NAME-ipv4-7443`.
  const primaryGroup = groups.find(({ family }) => family === options.allocator.families[0]);
  const desiredSlices = new Map(
    groups.map((group) => [group === primaryGroup ? name : `${name}-${group.family}-${group.port}`.toLowerCase(), group]),
  );
  for (const [sliceName, group] of desiredSlices) {
    await createOrUpdate(options, slices, sliceName, { labels: { [serviceNameLabel]: name }, members: sliceOf(group) });
  }
  // The range has all keys of the namespace: `0` follows `/` in ASCII.
  for (const entry of options.cache.snapshot(slices.stored).range(`${NAMESPACE}/`, `${NAMESPACE}0`)) {
    const sliceName = entry.key.slice(NAMESPACE.length + 1);
    const isOfService = entry.labels[serviceNameLabel] === name;
    if (isOfService && !desiredSlices.has(sliceName)) await remove(options, slices, sliceName);
  }
}

function serviceOf({ names, allocator, port }: DefaultServiceReconcilerOptions): CoreV1Service {
  const firstAddress = allocator.addresses(allocator.families[0] ?? 'IPv4')?.first ?? '';
  return {
    metadata: { labels: { component: 'apiserver', provider: names.defaultService } },
    spec: {
      clusterIP: addressOrPortIn(firstAddress),
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
      ipFamilyPolicy: 'SingleStack',
    },
  };
}

/** The replicas of one family with the same port. */
interface EndpointGroup {
  readonly family: 'IPv4' | 'IPv6';
  readonly port: number;
  readonly ips: readonly string[];
}

/** Groups the addresses; the groups are in the order of family and port. */
function endpointGroupsOf(addresses: readonly ReplicaAddress[]): readonly EndpointGroup[] {
  const groups = new Map<string, EndpointGroup & { readonly ips: string[] }>();
  for (const { ip, port } of addresses) {
    const family = parseIpAddress(ip)?.family === 6 ? 'IPv6' : 'IPv4';
    const key = `${family}/${port}`;
    const group = groups.get(key) ?? { family, port, ips: [] };
    groups.set(key, group);
    if (!group.ips.includes(ip)) group.ips.push(ip);
  }
  return [...groups.values()].sort(compareGroups);
}

function compareGroups(a: EndpointGroup, b: EndpointGroup): number {
  if (a.family === b.family) return a.port - b.port;
  return a.family < b.family ? -1 : 1;
}

function subsetOf({ ips, port }: EndpointGroup): CoreV1EndpointSubset {
  return { addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] };
}

function sliceOf({ family, ips, port }: EndpointGroup): DiscoveryV1EndpointSlice {
  return {
    addressType: family,
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
}

/** Creates an object in the namespace; does nothing when it exists. */
async function createIfAbsent(
  options: DefaultServiceReconcilerOptions,
  resource: Resource,
  name: string,
  object: JsonObject,
): Promise<void> {
  const exists = (): boolean => options.cache.get(resource.stored, `${NAMESPACE}/${name}`) !== undefined;
  if (exists()) return;
  const value: JsonObject = { ...object, metadata: { ...readMetadata(object), name, namespace: NAMESPACE } };
  try {
    await options.writer.create(serverContext(options.clock), resource, NAMESPACE, objectBody(value), serverWriteOptions(options.names));
  } catch (error) {
    // Another replica may have created the object, so that the name or the Service's address is in use. The writer confirms
    // a rejection on fresh state, so the cache shows that object by now.
    if (!exists()) throw error;
  }
}

/** Sets labels and members of an object, and keeps its other members. Creates the object when it is absent. */
async function createOrUpdate(
  options: DefaultServiceReconcilerOptions,
  resource: Resource,
  name: string,
  { labels, members }: { readonly labels: Readonly<Record<string, string>>; readonly members: JsonObject },
): Promise<void> {
  const entry = options.cache.get(resource.stored, `${NAMESPACE}/${name}`);
  if (entry === undefined) {
    await createIfAbsent(options, resource, name, { metadata: { labels }, ...members });
    return;
  }
  const { object } = parseEntry(entry);
  const metadata = readMetadata(object);
  const value: JsonObject = { ...object, ...members, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
  const isChanged = (member: string): boolean => !equalJson(ownMember(value, member), ownMember(object, member));
  if (!['metadata', ...Object.keys(members)].some(isChanged)) return;
  const key = { namespace: NAMESPACE, name };
  // After NotFound and Conflict, another replica was first. Its change triggers the next pass.
  await ignoreReasons(['NotFound', 'Conflict'], () =>
    options.writer.update(serverContext(options.clock), resource, key, undefined, objectBody(value), serverWriteOptions(options.names)),
  );
}

/** Deletes an object; does nothing when it does not exist. */
async function remove(options: DefaultServiceReconcilerOptions, resource: Resource, name: string): Promise<void> {
  await ignoreReasons(['NotFound'], () =>
    options.writer.delete(serverContext(options.clock), resource, { namespace: NAMESPACE, name }, { dryRun: false }),
  );
}
