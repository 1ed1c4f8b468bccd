/**
 * Subresources that lead to a machine: logs, exec, attach, port forwarding, proxies. Everything that can be said without a node is said as
 * upstream says it; this server has no way to nodes, so what would need one ends in a clear refusal and never waits.
 */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { badRequest, notFound, serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import type { Reader, RequestContext, Resource } from '../verbs';
import { parseEntry } from '../object/stored-object';

export interface ConnectParts {
  readonly reader: Pick<Reader, 'get'>;
  readonly nodes: Resource;
}

export interface Connection {
  readonly resource: Resource;
  readonly subresource: string;
  /** The name may carry scheme and port where the subresource is a proxy: `http:web:80`. */
  readonly key: ObjectKey;
  /** The container that is asked for; '' = the only one. */
  readonly container: string;
  /** The client asks for another protocol on the connection. */
  readonly upgrades: boolean;
}

/** Resolves when there is nothing to show: the log of a pod that is on no node. Rejects with StatusError in all other cases. */
export async function connect(parts: ConnectParts, context: RequestContext, connection: Connection): Promise<void> {
  const { resource, subresource, key } = connection;
  if (subresource === 'proxy') return proxy(parts, context, resource, key);
  const pod = parseEntry(await parts.reader.get(context, resource, key, undefined)).object;
  if (subresource !== 'portforward') checkContainer(key.name, pod, connection.container);
  const node = stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '';
  if (node === '') {
    if (subresource === 'log') return;
    throw badRequest(`pod ${key.name} does not have a host assigned`);
  }
  const { reader, nodes } = parts;
  await reader.get(context, nodes, { namespace: '', name: node }, undefined).catch((error: unknown) => {
    // The node is missed as if it were a pod (upstream behaviour).
    throw error instanceof StatusError && error.reason === 'NotFound' ? notFound(resource.row, node) : error;
  });
  if (subresource !== 'log' && !connection.upgrades) throw badRequest('Upgrade request required');
  throw unreachable(`node ${node}`);
}

const unreachable = (what: string): StatusError => serviceUnavailable(`${what} cannot be reached: this server does not connect to nodes`);

function namesOf(pod: JsonObject, member: string): readonly string[] {
  return (arrayAt(objectAt(pod, 'spec'), member) ?? []).flatMap((item) => (isObject(item) ? [stringAt(item, 'name') ?? ''] : []));
}

function checkContainer(name: string, pod: JsonObject, container: string): void {
  const [plain, initial, ephemeral] = ['containers', 'initContainers', 'ephemeralContainers'].map((member) => namesOf(pod, member));
  if (container !== '') {
    if ([plain, initial, ephemeral].some((names) => names?.includes(container))) return;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  if (plain?.length === 1) return;
  const others = initial === undefined || initial.length === 0 ? '' : ` or one of the init containers: [${initial.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${plain?.join(' ') ?? ''}]${others}`);
}

async function proxy({ reader }: ConnectParts, context: RequestContext, resource: Resource, key: ObjectKey): Promise<void> {
  const kind = resource.row.singular;
  const parts = key.name.split(':');
  if (parts.length > 3) throw badRequest(`invalid ${kind} request ${JSON.stringify(key.name)}`);
  const [name = '', port = ''] = parts.length === 3 ? parts.slice(1) : parts;
  const object = parseEntry(await reader.get(context, resource, { ...key, name }, undefined)).object;
  if (kind === 'pod' && (stringAt(objectAt(object, 'status'), 'podIP') ?? '') === '') throw badRequest('address not allowed');
  if (kind === 'service') checkPort(object, name, port);
  throw unreachable(`${kind} ${name}`);
}

function checkPort(service: JsonObject, name: string, port: string): void {
  const ports = (arrayAt(objectAt(service, 'spec'), 'ports') ?? []).filter(isObject);
  if (port === '' || ports.some((each) => each['name'] === port || String(Number(own(each, 'port') ?? 0)) === port)) return;
  throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
}
