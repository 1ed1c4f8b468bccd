/**
 * Subresources that lead to a machine: logs, exec, attach, port forwarding, proxies. Says, as upstream says it, what can be said without a node, and else where the
 * request goes. Connects to nothing.
 */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { Random } from '../../../shared/runtime/random';
import { badRequest, notFound, serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import { hostUrl, parsePort } from '../../../shared/values/host-url';
import { quote } from '../../../shared/values/quote';
import type { Entry } from '../../cache/cache';
import type { Reader, RequestContext, Resource } from '../verbs';
import { parseEntry } from '../object/stored-object';
import { kubeletOf, kubeletUrl, proxyableAddress, proxyableHost, type Destination, type ResolveHost } from './destination';
import { chooseEndpoint, servicePortName, servicePortNumber } from './service-endpoint';

export interface ConnectParts {
  readonly reader: Pick<Reader, 'get'>;
  readonly nodes: Resource;
  readonly endpoints: Resource;
  readonly pods: Resource;
  readonly resolveHost: ResolveHost;
  /** Types of nodes' addresses, the most preferred first. */
  readonly addressTypes: readonly string[];
  readonly random: Pick<Random, 'float'>;
}

export interface Connection {
  readonly resource: Resource;
  readonly subresource: string;
  /** The name may carry scheme and port where the subresource is a proxy: `http:web:80`. */
  readonly key: ObjectKey;
  /** The container that is asked for; '' = the only one. */
  readonly container: string;
  /** What the node is told besides, as a query. */
  readonly told: URLSearchParams;
  /** The client asks for another protocol on the connection. */
  readonly upgrades: boolean;
}

/** Where kubelets have it. */
const KUBELET_PATHS: Readonly<Partial<Record<string, string>>> = {
  log: 'containerLogs',
  exec: 'exec',
  attach: 'attach',
  portforward: 'portForward',
};

/** Undefined = there is nothing to show: the log of a pod that is on no node. Rejects with StatusError. */
export async function connect(parts: ConnectParts, context: RequestContext, connection: Connection): Promise<Destination | undefined> {
  const { resource, subresource, key, told } = connection;
  const place = KUBELET_PATHS[subresource];
  if (place === undefined) return proxy(parts, context, resource, key);
  const pod = parseEntry(await parts.reader.get(context, resource, key, undefined)).object;
  const container = subresource === 'portforward' ? undefined : containerOf(key.name, pod, connection.container);
  const nodeName = stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '';
  if (nodeName === '') {
    if (subresource === 'log') return undefined;
    throw badRequest(`pod ${key.name} does not have a host assigned`);
  }
  const { reader, nodes } = parts;
  const node = await reader.get(context, nodes, { namespace: '', name: nodeName }, undefined).catch((error: unknown) => {
    // The node is missed as if it were a pod (upstream behaviour).
    throw error instanceof StatusError && error.reason === 'NotFound' ? notFound(resource.row, nodeName) : error;
  });
  if (subresource !== 'log' && !connection.upgrades) throw badRequest('Upgrade request required');
  const url = kubeletUrl(kubeletOf(parseEntry(node).object, parts.addressTypes));
  url.pathname = ['', place, key.namespace, key.name, ...(container === undefined ? [] : [container])].map(encodeURIComponent).join('/');
  url.search = told.toString();
  return { type: subresource === 'log' ? 'log' : 'stream', url, trust: 'kubelet' };
}

function namesOf(pod: JsonObject, member: string): readonly string[] {
  return (arrayAt(objectAt(pod, 'spec'), member) ?? []).flatMap((item) => (isObject(item) ? [stringAt(item, 'name') ?? ''] : []));
}

/** The one that is meant. */
function containerOf(name: string, pod: JsonObject, container: string): string {
  const [plain, initial, ephemeral] = ['containers', 'initContainers', 'ephemeralContainers'].map((member) => namesOf(pod, member));
  if (container !== '') {
    if ([plain, initial, ephemeral].some((names) => names?.includes(container))) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  const [only, ...more] = plain ?? [];
  if (only !== undefined && more.length === 0) return only;
  const others = initial === undefined || initial.length === 0 ? '' : ` or one of the init containers: [${initial.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${plain?.join(' ') ?? ''}]${others}`);
}

/** The name of a proxied object with the scheme and port that the client adds: `[scheme:]name[:port]`. */
interface ProxiedName {
  /** The text as sent. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

const SCHEMES: Readonly<Record<string, ProxiedName['scheme']>> = { '': 'http', http: 'http', https: 'https' };

/** `undefined` when the text does not have this form. */
function proxiedName(text: string): ProxiedName | undefined {
  const words = text.split(':');
  const [scheme = '', name = '', port = ''] = words.length === 3 ? words : ['', ...words];
  const known = own(SCHEMES, scheme);
  return words.length > 3 || known === undefined || name === '' ? undefined : { text, scheme: known, name, port };
}

async function proxy(parts: ConnectParts, context: RequestContext, resource: Resource, key: ObjectKey): Promise<Destination> {
  const kind = resource.row.singular;
  const proxied = proxiedName(key.name);
  if (proxied === undefined) throw invalidRequest(kind, key.name);
  if (kind === 'service') return toService(parts, context, resource, key.namespace, proxied);
  const object = parseEntry(await parts.reader.get(context, resource, { ...key, name: proxied.name }, undefined)).object;
  return kind === 'pod' ? toPod(object, proxied) : toNode(parts, object, proxied);
}

const invalidRequest = (kind: string, name: string): StatusError => badRequest(`invalid ${kind} request ${quote(name)}`);

function toPod(pod: JsonObject, { text, scheme, port }: ProxiedName): Destination {
  const host = proxyableAddress(stringAt(objectAt(pod, 'status'), 'podIP') ?? '');
  const ports = containerPorts(pod);
  const declared = port === '' ? ports[0] : ports.find((each) => stringAt(each, 'name') === port);
  const number = parsePort(port) ?? (declared === undefined ? undefined : portOf(declared));
  if (port !== '' && number === undefined) throw invalidRequest('pod', text);
  return { type: 'proxy', url: hostUrl(scheme, host, number), trust: 'any' };
}

function portOf(port: JsonObject): number | undefined {
  const number = own(port, 'containerPort');
  return typeof number === 'number' ? number : undefined;
}

function containerPorts(pod: JsonObject): readonly JsonObject[] {
  const containers = (arrayAt(objectAt(pod, 'spec'), 'containers') ?? []).filter(isObject);
  return containers.flatMap((container) => arrayAt(container, 'ports') ?? []).filter(isObject);
}

/** The kubelet of the node, or a server on another port of the machine. */
async function toNode(
  { addressTypes, resolveHost }: ConnectParts,
  node: JsonObject,
  { text, scheme, port }: ProxiedName,
): Promise<Destination> {
  const kubelet = kubeletOf(node, addressTypes);
  const number = port === '' ? kubelet.port : parsePort(port);
  if (number === undefined) throw invalidRequest('node', text);
  const { host, ...checked } = await proxyableHost(kubelet.host, resolveHost);
  const isKubelet = number === kubelet.port;
  return { type: 'proxy', url: hostUrl(isKubelet ? 'https' : scheme, host, number), trust: isKubelet ? 'kubelet' : 'any', ...checked };
}

/** The Service itself is read only when the client names a port by number; otherwise its Endpoints suffice (upstream behaviour). */
async function toService(
  parts: ConnectParts,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  { text, scheme, name, port }: ProxiedName,
): Promise<Destination> {
  const { reader, endpoints, pods, random } = parts;
  const read = async (from: Resource): Promise<JsonObject> => {
    const entry = await parts.reader.get(context, from, { namespace, name }, undefined).catch((error: unknown) => {
      throw error instanceof StatusError && error.reason === 'NotFound' ? notFound(resource.row, name) : error;
    });
    return parseEntry(entry).object;
  };
  const number = servicePortNumber(port);
  const portName = number === undefined ? port : servicePortName(await read(resource), name, number);
  const object = await read(endpoints);
  // The cached state of the pods suffices: it is not older than the Endpoints, which come from the same cache.
  const podNamed = (pod: string): Promise<Entry | undefined> =>
    reader.get(context, pods, { namespace, name: pod }, 0).catch(undefinedIfAbsent);
  const endpoint = await chooseEndpoint(object, { namespace, portName, chance: random.float(), podNamed });
  if (endpoint === undefined) {
    const isEmpty = (arrayAt(object, 'subsets') ?? []).length === 0;
    throw serviceUnavailable(`no endpoints available for service ${quote(isEmpty ? name : text)}`);
  }
  return { type: 'proxy', url: hostUrl(scheme, proxyableAddress(endpoint.address), endpoint.port), trust: 'any' };
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof StatusError && error.reason === 'NotFound')) throw error;
}
