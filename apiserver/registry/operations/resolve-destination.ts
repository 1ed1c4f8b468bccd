/**
 * Resolves the destination of requests to kubelets, pods and Services: log, exec, attach, portforward and proxy.
 * Requests that can be rejected from API objects alone are rejected with the messages of upstream. Opens no
 * connections.
 */
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { Random } from '../../../shared/runtime/random';
import { badRequest, notFound, serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import { hostUrl, parsePort } from '../../../shared/values/network/host-url';
import { quote } from '../../../shared/values/text/quote';
import type { Entry } from '../../cache/cache';
import type { Reader, RequestContext, Resource } from '../verbs';
import { parseEntry } from '../object/stored-object';
import { kubeletAddressOf, kubeletUrl, proxyableAddress, proxyableHost, type Destination, type ResolveHost } from './destination';
import { chooseEndpoint, servicePortName, servicePortNumber } from './service-endpoint';

/** What the resolution of destinations uses. */
export interface ConnectDependencies {
  readonly reader: Pick<Reader, 'get'>;
  readonly nodes: Resource;
  readonly endpoints: Resource;
  readonly pods: Resource;
  readonly resolveHost: ResolveHost;
  /** Types of node addresses in order of preference. */
  readonly addressTypes: readonly string[];
  readonly random: Pick<Random, 'float'>;
}

/** The parsed request of the client. */
export interface ConnectRequest {
  readonly resource: Resource;
  readonly subresource: string;
  /** For a proxy subresource the name may contain scheme and port: `http:web:80`. */
  readonly key: ObjectKey;
  /** Name of the container; empty to use the only one. */
  readonly container: string;
  /** Query for the kubelet. */
  readonly kubeletQuery: URLSearchParams;
  /** The client requests a protocol upgrade. */
  readonly isUpgrade: boolean;
}

/** Path of each subresource in the kubelet's API. */
const KUBELET_PATHS: Readonly<Partial<Record<string, string>>> = {
  log: 'containerLogs',
  exec: 'exec',
  attach: 'attach',
  portforward: 'portForward',
};

/** `undefined` when the response is empty: the log of an unscheduled pod. Rejects with StatusError. */
export async function resolveDestination(
  deps: ConnectDependencies,
  context: RequestContext,
  request: ConnectRequest,
): Promise<Destination | undefined> {
  const { resource, subresource, key, kubeletQuery } = request;
  const kubeletPath = KUBELET_PATHS[subresource];
  if (kubeletPath === undefined) return resolveProxy(deps, context, resource, key);
  const pod = parseEntry(await deps.reader.get(context, resource, key, undefined)).object;
  const container = subresource === 'portforward' ? undefined : selectContainer(key.name, pod, request.container);
  const nodeName = stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '';
  if (nodeName === '') {
    if (subresource === 'log') return undefined;
    throw badRequest(`pod ${key.name} does not have a host assigned`);
  }
  const { reader, nodes } = deps;
  // Upstream reports the missing node as a missing pod.
  const node = await reader.get(context, nodes, { namespace: '', name: nodeName }, undefined).catch(throwNotFoundAs(resource, nodeName));
  if (subresource !== 'log' && !request.isUpgrade) throw badRequest('Upgrade request required');
  const url = kubeletUrl(kubeletAddressOf(parseEntry(node).object, deps.addressTypes));
  url.pathname = ['', kubeletPath, key.namespace, key.name, ...(container === undefined ? [] : [container])]
    .map(encodeURIComponent)
    .join('/');
  url.search = kubeletQuery.toString();
  return { type: subresource === 'log' ? 'log' : 'stream', url, trust: 'kubelet' };
}

/** The requested container, or the only one. */
function selectContainer(name: string, pod: JsonObject, container: string): string {
  const regular = namesOf(pod, 'containers');
  const init = namesOf(pod, 'initContainers');
  if (container !== '') {
    if ([...regular, ...init, ...namesOf(pod, 'ephemeralContainers')].includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  const [only, ...more] = regular;
  if (only !== undefined && more.length === 0) return only;
  const others = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${regular.join(' ')}]${others}`);
}

/** The names of the containers in a member of the spec. */
function namesOf(pod: JsonObject, member: string): readonly string[] {
  return (arrayAt(objectAt(pod, 'spec'), member) ?? []).flatMap((item) => (isObject(item) ? [stringAt(item, 'name') ?? ''] : []));
}

/** The name of a proxied object with the scheme and port that the client adds: `[scheme:]name[:port]`. */
interface ProxiedName {
  /** As in the path. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

/** The schemes of a proxied name; plain HTTP when there is none. */
const SCHEMES: Readonly<Record<string, ProxiedName['scheme']>> = { '': 'http', http: 'http', https: 'https' };

/** `undefined` when the text is not in this form. With two parts, these are name and port. */
function parseProxiedName(text: string): ProxiedName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [schemeText = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const scheme = ownMember(SCHEMES, schemeText);
  return scheme === undefined || name === '' ? undefined : { text, scheme, name, port };
}

async function resolveProxy(deps: ConnectDependencies, context: RequestContext, resource: Resource, key: ObjectKey): Promise<Destination> {
  const kind = resource.row.singular;
  const proxied = parseProxiedName(key.name);
  if (proxied === undefined) throw invalidRequest(kind, key.name);
  if (kind === 'service') return serviceDestination(deps, context, resource, { namespace: key.namespace, ...proxied });
  const object = parseEntry(await deps.reader.get(context, resource, { ...key, name: proxied.name }, undefined)).object;
  return kind === 'pod' ? podDestination(object, proxied) : nodeDestination(deps, object, proxied);
}

const invalidRequest = (kind: string, name: string): StatusError => badRequest(`invalid ${kind} request ${quote(name)}`);

/** The port with the number or the name in the request; without one, the first port that the pod declares. */
function podDestination(pod: JsonObject, { text, scheme, port }: ProxiedName): Destination {
  const host = proxyableAddress(stringAt(objectAt(pod, 'status'), 'podIP') ?? '');
  const ports = containerPorts(pod);
  const declaredPort = port === '' ? ports[0] : ports.find((candidate) => stringAt(candidate, 'name') === port);
  const number = parsePort(port) ?? (declaredPort === undefined ? undefined : containerPortOf(declaredPort));
  if (port !== '' && number === undefined) throw invalidRequest('pod', text);
  return { type: 'proxy', url: hostUrl(scheme, host, number), trust: 'any' };
}

function containerPortOf(port: JsonObject): number | undefined {
  const number = ownMember(port, 'containerPort');
  return typeof number === 'number' ? number : undefined;
}

function containerPorts(pod: JsonObject): readonly JsonObject[] {
  const containers = (arrayAt(objectAt(pod, 'spec'), 'containers') ?? []).filter(isObject);
  return containers.flatMap((container) => arrayAt(container, 'ports') ?? []).filter(isObject);
}

/** The kubelet of the node, or another server on the same host. */
async function nodeDestination(
  { addressTypes, resolveHost }: ConnectDependencies,
  node: JsonObject,
  { text, scheme, port }: ProxiedName,
): Promise<Destination> {
  const kubelet = kubeletAddressOf(node, addressTypes);
  const number = port === '' ? kubelet.port : parsePort(port);
  if (number === undefined) throw invalidRequest('node', text);
  const { host, ...checked } = await proxyableHost(kubelet.host, resolveHost);
  const isKubelet = number === kubelet.port;
  return { type: 'proxy', url: hostUrl(isKubelet ? 'https' : scheme, host, number), trust: isKubelet ? 'kubelet' : 'any', ...checked };
}

/**
 * The Service itself is read only when the client names a port by number; otherwise its Endpoints suffice (upstream
 * behaviour).
 */
async function serviceDestination(
  deps: ConnectDependencies,
  context: RequestContext,
  resource: Resource,
  { text, scheme, name, port, namespace }: ProxiedName & { readonly namespace: string },
): Promise<Destination> {
  const { reader, endpoints, pods, random } = deps;
  // Absent Endpoints are reported as an absent Service, too.
  const read = async (resourceToRead: Resource): Promise<JsonObject> => {
    const entry = await reader.get(context, resourceToRead, { namespace, name }, undefined).catch(throwNotFoundAs(resource, name));
    return parseEntry(entry).object;
  };
  const number = servicePortNumber(port);
  const portName = number === undefined ? port : servicePortName(await read(resource), name, number);
  const endpointsObject = await read(endpoints);
  // The cached state of the pods suffices: it is not older than the Endpoints, which come from the same cache unless it
  // lags behind the store. A pod that is then missing counts as an address that cannot be used.
  const getPod = (pod: string): Promise<Entry | undefined> =>
    reader.get(context, pods, { namespace, name: pod }, 0).catch(undefinedIfNotFound);
  const endpoint = await chooseEndpoint(endpointsObject, { namespace, portName, chance: random.float(), getPod });
  if (endpoint === undefined) {
    const isEmpty = (arrayAt(endpointsObject, 'subsets') ?? []).length === 0;
    throw serviceUnavailable(`no endpoints available for service ${quote(isEmpty ? name : text)}`);
  }
  return { type: 'proxy', url: hostUrl(scheme, proxyableAddress(endpoint.address), endpoint.port), trust: 'any' };
}

const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.reason === 'NotFound';

/** Rethrows an error. A NotFound becomes the NotFound of the object with this name, whatever object it was about. */
const throwNotFoundAs =
  ({ row }: Resource, name: string) =>
  (error: unknown): never => {
    throw isNotFound(error) ? notFound(row, name) : error;
  };

function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
