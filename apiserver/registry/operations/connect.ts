/**
 * Subresources that lead to a machine: logs, exec, attach, port forwarding, proxies. Says, as upstream says it, what can be said without a node, and else where the
 * request goes. Connects to nothing.
 */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { Random } from '../../../shared/runtime/random';
import { badRequest, notFound, serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import type { Reader, RequestContext, Resource } from '../verbs';
import { parseEntry } from '../object/stored-object';
import { addressOf, checkProxyable, endpointOf, kubeletOf, kubeletPort, type Destination } from './destination';

export interface ConnectParts {
  readonly reader: Pick<Reader, 'get'>;
  readonly nodes: Resource;
  readonly endpoints: Resource;
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
  const url = kubeletOf(parseEntry(node).object, parts.addressTypes);
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

async function proxy(parts: ConnectParts, context: RequestContext, resource: Resource, key: ObjectKey): Promise<Destination> {
  const kind = resource.row.singular;
  const words = key.name.split(':');
  if (words.length > 3) throw badRequest(`invalid ${kind} request ${JSON.stringify(key.name)}`);
  const [scheme = '', name = '', port = ''] = words.length === 3 ? words : ['', ...words];
  const object = parseEntry(await parts.reader.get(context, resource, { ...key, name }, undefined)).object;
  switch (kind) {
    case 'pod':
      return toPod(object, scheme, port);
    case 'node':
      return toNode(parts, object, scheme, port);
    default:
      return toService(parts, context, { namespace: key.namespace, name }, object, scheme, port);
  }
}

const schemeOf = (scheme: string): string => (scheme === 'https' ? 'https' : 'http');

function toPod(pod: JsonObject, scheme: string, port: string): Destination {
  const host = stringAt(objectAt(pod, 'status'), 'podIP') ?? '';
  if (host === '') throw badRequest('address not allowed');
  checkProxyable(host);
  return { type: 'proxy', url: addressOf(schemeOf(scheme), host, port === '' ? firstPort(pod) : port), trust: 'any' };
}

/** The first that a container names; '' = none does. */
function firstPort(pod: JsonObject): number | string {
  const ports = (arrayAt(objectAt(pod, 'spec'), 'containers') ?? [])
    .filter(isObject)
    .flatMap((container) => arrayAt(container, 'ports') ?? []);
  const [first] = ports.filter(isObject);
  const port = first === undefined ? undefined : own(first, 'containerPort');
  return typeof port === 'number' ? port : '';
}

/** Its kubelet, or whatever else answers on another port of the machine. */
function toNode({ addressTypes }: ConnectParts, node: JsonObject, scheme: string, port: string): Destination {
  const url = kubeletOf(node, addressTypes);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  checkProxyable(host);
  if (port === '' || port === String(kubeletPort(node))) return { type: 'proxy', url, trust: 'kubelet' };
  return { type: 'proxy', url: addressOf(schemeOf(scheme), host, port), trust: 'any' };
}

async function toService(
  { reader, endpoints, random }: ConnectParts,
  context: RequestContext,
  key: ObjectKey,
  service: JsonObject,
  scheme: string,
  port: string,
): Promise<Destination> {
  const portName = portNameOf(service, key.name, port);
  const found = await reader.get(context, endpoints, key, undefined).catch((error: unknown) => {
    if (error instanceof StatusError && error.reason === 'NotFound') return undefined;
    throw error;
  });
  const object = found === undefined ? undefined : parseEntry(found).object;
  return { type: 'proxy', url: endpointOf(key.name, schemeOf(scheme), object, portName, random.float()), trust: 'any' };
}

/** Undefined = any. */
function portNameOf(service: JsonObject, name: string, port: string): string | undefined {
  if (port === '') return undefined;
  const ports = (arrayAt(objectAt(service, 'spec'), 'ports') ?? []).filter(isObject);
  const found = ports.find((each) => each['name'] === port || String(Number(own(each, 'port') ?? 0)) === port);
  if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return stringAt(found, 'name') ?? '';
}
