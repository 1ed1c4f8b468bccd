/**
 * The distinct requests that a kubelet and a kube-proxy of release 1.31 make, from the audit log of a kube-apiserver:
 * namespaces, names, versions and times are replaced by placeholders, so that equal requests for different objects are
 * one.
 */
import { isBody, type Json } from '../json-response';
import { readCases } from '../recording';
import { oneOf, shape, text } from '../shape';

export const NODE_REQUESTS = 'nodes/requests';

/**
 * A request with placeholders: `$NODE` is the name of a node, `$NAME` that of another object, and `$NS` a namespace. In
 * the query, `$RV` is a resource version other than 0, `$SECONDS` a number and `$DURATION` a duration such as `6m2s`.
 */
export interface NodeRequest {
  readonly user: 'node' | 'proxy';
  /** As in the audit log: `watch`, `patch`. */
  readonly verb: string;
  /** Path and query. The parameters are sorted and not percent-encoded. */
  readonly path: string;
}

/** The members of an audit event that are used. */
interface AuditLine {
  readonly verb: string;
  readonly requestURI: string;
  readonly username: string;
}

const isNodeRequest = shape({ user: oneOf('node', 'proxy'), verb: text, path: text });

export const recordedNodeRequests = (): readonly NodeRequest[] => readCases(NODE_REQUESTS, isNodeRequest);

/** The user of a kubelet, with the name of its node. */
const NODE_USER = /^system:node:(.+)$/;
const PROXY_USER = 'system:kube-proxy';

function parseAuditLine(line: string): AuditLine {
  const event: Json = JSON.parse(line);
  if (!isBody(event)) throw new Error(`no audit event: ${line}`);
  const { verb, requestURI, user } = event;
  const username = isBody(user) ? user['username'] : undefined;
  if (typeof verb !== 'string' || typeof requestURI !== 'string' || typeof username !== 'string')
    throw new Error(`no audit event: ${line}`);
  return { verb, requestURI, username };
}

/**
 * The distinct requests of the nodes and proxies in the lines of an audit log, sorted by user, path and verb. Throws
 * when a line is no audit event.
 */
export function distinctNodeRequests(log: readonly string[]): readonly NodeRequest[] {
  const lines = log.map(parseAuditLine);
  const nodes = new Set(lines.flatMap(({ username }) => NODE_USER.exec(username)?.[1] ?? []));
  const requests = new Map<string, NodeRequest>();
  for (const line of lines) {
    const request = nodeRequest(line, nodes);
    if (request !== undefined) requests.set(`${request.user} ${request.path} ${request.verb}`, request);
  }
  return [...requests].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, request]) => request);
}

/** `undefined` for a request of another user. `nodes` are the names of all nodes. */
function nodeRequest({ username, verb, requestURI }: AuditLine, nodes: ReadonlySet<string>): NodeRequest | undefined {
  const isNode = NODE_USER.test(username);
  if (!isNode && username !== PROXY_USER) return undefined;
  const url = new URL(requestURI, 'https://server');
  const query = [...url.searchParams].map(([name, value]) => `${name}=${maskParameter(name, value, nodes)}`).sort();
  const path = maskPath(url.pathname, nodes) + (query.length === 0 ? '' : `?${query.join('&')}`);
  return { user: isNode ? 'node' : 'proxy', verb, path };
}

/**
 * `/api/v1` or `/apis/<group>/<version>`, then optionally a namespace, then a resource, optionally with a name and a
 * subresource. The namespace must be followed by a slash: in `/api/v1/namespaces/<name>` it is the object itself.
 */
const RESOURCE_PATH = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+(?=\/))?\/([^/]+)(?:\/([^/]+)(\/.*)?)?$/;
/**
 * The namespace of the nodes' Leases is kept: the authorization of nodes allows Leases in this namespace only. All
 * others depend on the pods that ran during the recording.
 */
const LEASES_NAMESPACE = '/namespaces/kube-node-lease';

function maskPath(path: string, nodes: ReadonlySet<string>): string {
  const [, root, namespace = '', resource = '', name, subresource = ''] = RESOURCE_PATH.exec(path) ?? [];
  if (root === undefined) return path;
  const scope = namespace === '' || namespace === LEASES_NAMESPACE ? namespace : '/namespaces/$NS';
  return `${root}${scope}/${resource}${name === undefined ? '' : `/${maskName(name, nodes)}`}${subresource}`;
}

const maskName = (name: string, nodes: ReadonlySet<string>): string => (nodes.has(name) ? '$NODE' : '$NAME');

function maskParameter(name: string, value: string, nodes: ReadonlySet<string>): string {
  switch (name) {
    case 'resourceVersion':
      return value === '0' ? value : '$RV';
    case 'timeout':
      return '$DURATION';
    case 'timeoutSeconds':
      return '$SECONDS';
    case 'fieldSelector':
      return value.replaceAll(
        /(metadata\.name|spec\.nodeName)=([^,]+)/g,
        (_, field: string, value: string) => `${field}=${maskName(value, nodes)}`,
      );
    default:
      return value;
  }
}
