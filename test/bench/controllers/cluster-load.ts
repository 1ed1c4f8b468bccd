/**
 * The load of a busy cluster as one process of plain clients: nodes that watch their Pods, renew Leases and report
 * status, proxies that watch EndpointSlices, a scheduler that binds, and a controller that creates Pods and writes
 * slices. The parent sends one {@link ClusterLoad}; the answers are {@link LoadMessage}s. Exits with its parent.
 */
import { connect, type ClientHttp2Session } from 'node:http2';

export interface ClusterLoad {
  /** The server, such as `https://127.0.0.1:6443`. */
  readonly origin: string;
  readonly token: string;
  /** The suffix of API group names. */
  readonly domain: string;
  readonly nodes: number;
  readonly pods: number;
  /** The number of Pods that are created concurrently. */
  readonly creators: number;
}

/** What this process sends to its parent. Each message has one member. */
export interface LoadMessage {
  /** All watches are open, and the first Pod is about to be created. */
  readonly moving?: true;
  /** All Pods run. */
  readonly done?: true;
  /** A watch ended and was resumed. */
  readonly rewatched?: true;
  /** The text of an error of any client. The load continues, but may never be done. */
  readonly failed?: string;
}

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
    readonly spec?: { readonly nodeName?: string };
  };
}

const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
/** Unique for this process, because the deletion of a namespace takes time. */
const NAMESPACE = `cluster-${process.pid}`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
/** The kubelet's period of heartbeats. */
const LEASE_MS = 10_000;
/** Endpoints of a full slice. Each slice is created with one endpoint. */
const PODS_IN_A_SLICE = 50;
/** A slice is written again with every so many pods, as a controller does that combines the changes of some time. */
const PODS_PER_SLICE_WRITE = 10;

/** One client with its own HTTP/2 connection, on which all of its requests and watches are streams. */
class Client {
  private readonly session: ClientHttp2Session;

  constructor(private readonly load: ClusterLoad) {
    this.session = connect(load.origin, { rejectUnauthorized: false });
    this.session.on('error', fail);
  }

  /** Treats 409 as success, because an earlier run may have created the object, and 404, because it may be deleted. */
  send(method: string, path: string, body?: object, contentType = 'application/json'): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.open(method, path, body === undefined ? {} : { 'content-type': contentType });
      stream.on('response', ({ ':status': status = 0 }) => {
        if (status < 300 || status === 404 || status === 409) resolve();
        else reject(new Error(`${method} ${path}: ${status}`));
      });
      stream.on('error', reject);
      stream.resume();
      stream.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Resolves when the watch is open. A watch that ends is resumed from its last event. */
  async watch(path: string, onEvent: (event: WatchEvent) => void): Promise<void> {
    await this.watchFrom(path, await this.revision(path), onEvent);
  }

  /** The revision of the collection. */
  private revision(path: string): Promise<string> {
    const stream = this.open('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1`, {});
    let body = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => (body += chunk));
    stream.end();
    return new Promise((resolve, reject) => {
      stream.on('error', reject);
      stream.on('end', () => resolve(/"resourceVersion":\s*"(\d+)"/.exec(body)?.[1] ?? ''));
    });
  }

  /** Resolves when the watch is open. When it is closed, it is opened again from the revision of its last event. */
  private watchFrom(path: string, since: string, onEvent: (event: WatchEvent) => void): Promise<void> {
    const stream = this.open('GET', `${path}${path.includes('?') ? '&' : '?'}watch=1&resourceVersion=${since}`, {});
    let partialLine = '';
    let lastRevision = since;
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const lines = (partialLine + chunk).split('\n');
      partialLine = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as WatchEvent;
        if (event.type === 'ERROR') throw new Error(`${path}: ${line}`);
        lastRevision = event.object.metadata.resourceVersion;
        onEvent(event);
      }
    });
    stream.on('close', () => {
      report({ rewatched: true });
      this.watchFrom(path, lastRevision, onEvent).catch(fail);
    });
    // An error closes the stream too.
    stream.on('error', () => undefined);
    stream.end();
    return new Promise((resolve) => stream.on('response', () => resolve()));
  }

  private open(method: string, path: string, headers: Record<string, string>) {
    return this.session.request({ ':method': method, ':path': path, authorization: `Bearer ${this.load.token}`, ...headers });
  }
}

function podBody(name: string): object {
  const container = { name: 'c', image: 'registry.example.com/app:1', resources: { requests: { cpu: '10m', memory: '16Mi' } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'web' } }, spec: { containers: [container] } };
}

/** A patch of the Pod's status as its kubelet sends it. */
function statusPatch(phase: 'Pending' | 'Running', ip: string): object {
  const now = timestamp();
  const ready = phase === 'Running' ? 'True' : 'False';
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: ready,
    lastTransitionTime: now,
  }));
  return { status: { phase, podIP: ip, podIPs: [{ ip }], startTime: now, conditions } };
}

/**
 * Creates a Node with its Lease, reports the status of its Pods, and renews both. Resolves when its watches are open:
 * those of the kubelet and of the node's proxy. `onRunning` is called for each Pod that runs.
 */
async function startNode(load: ClusterLoad, index: number, onRunning: () => void): Promise<void> {
  const name = `node-${index}`;
  const client = new Client(load);
  /** The names of the Pods that the node has started. */
  const started = new Set<string>();
  await client.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const leases = `/apis/coordination.${load.domain}/v1/namespaces/kube-node-lease/leases`;
  const lease = { apiVersion: `coordination.${load.domain}/v1`, kind: 'Lease', metadata: { name, namespace: 'kube-node-lease' } };
  await client.send('POST', leases, { ...lease, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
  const runPod = async (pod: string): Promise<void> => {
    // An address of the node's own: two bytes of its index, and one of the Pod.
    const ip = `10.${64 + (index >> 8)}.${index & 255}.${1 + (started.size % 250)}`;
    await client.send('PATCH', `${PODS}/${pod}/status`, statusPatch('Pending', ip), STRATEGIC_MERGE_PATCH);
    await client.send('POST', `/api/v1/namespaces/${NAMESPACE}/events`, eventBody(pod, 'Pulled'));
    await client.send('PATCH', `${PODS}/${pod}/status`, statusPatch('Running', ip), STRATEGIC_MERGE_PATCH);
    await client.send('POST', `/api/v1/namespaces/${NAMESPACE}/events`, eventBody(pod, 'Started'));
    onRunning();
  };
  await client.watch(`/api/v1/pods?fieldSelector=spec.nodeName%3D${name}`, ({ type, object }) => {
    if (type === 'DELETED' || object.metadata.namespace !== NAMESPACE || started.has(object.metadata.name)) return;
    started.add(object.metadata.name);
    runPod(object.metadata.name).catch(fail);
  });
  await client.watch(`/apis/discovery.${load.domain}/v1/endpointslices`, () => undefined);
  await client.watch('/api/v1/services', () => undefined);
  setInterval(() => {
    // Microseconds, as `metav1.MicroTime` has them.
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    client.send('PATCH', `${leases}/${name}`, { spec: { renewTime } }, MERGE_PATCH).catch(fail);
    client
      .send('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, MERGE_PATCH)
      .catch(fail);
  }, LEASE_MS);
}

/** The present time in whole seconds, as `metav1.Time` has it. */
const timestamp = (): string => new Date().toISOString().replace(/\.\d+Z/, 'Z');

function eventBody(pod: string, reason: string): object {
  const now = timestamp();
  const metadata = { generateName: `${pod}.`, namespace: NAMESPACE };
  const involvedObject = { kind: 'Pod', namespace: NAMESPACE, name: pod, apiVersion: 'v1' };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject,
    reason,
    message: reason,
    type: 'Normal',
    firstTimestamp: now,
    lastTimestamp: now,
  };
}

/** Binds every Pod without a node to the nodes in turn. Resolves when its watch is open. */
async function startScheduler(load: ClusterLoad): Promise<void> {
  const client = new Client(load);
  let bound = 0;
  await client.watch('/api/v1/pods', ({ type, object }) => {
    if (type !== 'ADDED' || object.metadata.namespace !== NAMESPACE || (object.spec?.nodeName ?? '') !== '') return;
    const target = { apiVersion: 'v1', kind: 'Node', name: `node-${bound++ % load.nodes}` };
    const { name } = object.metadata;
    client.send('POST', `${PODS}/${name}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target }).catch(fail);
    client.send('POST', `/api/v1/namespaces/${NAMESPACE}/events`, eventBody(name, 'Scheduled')).catch(fail);
  });
}

/** Creates the Pods, and writes the slices of their Service meanwhile. Resolves when all are created. */
async function createPods(load: ClusterLoad): Promise<void> {
  const client = new Client(load);
  await client.watch('/api/v1/pods', () => undefined);
  const slices = `/apis/discovery.${load.domain}/v1/namespaces/${NAMESPACE}/endpointslices`;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < load.pods; index = next++) {
      await client.send('POST', PODS, podBody(`web-${index}`));
      const name = `web-${Math.floor(index / PODS_IN_A_SLICE)}`;
      const endpoints = Array.from({ length: (index % PODS_IN_A_SLICE) + 1 }, (_, endpoint) => ({
        addresses: [`10.1.${index % 250}.${endpoint + 1}`],
      }));
      const slice = {
        apiVersion: `discovery.${load.domain}/v1`,
        kind: 'EndpointSlice',
        metadata: { name },
        addressType: 'IPv4',
        endpoints,
      };
      if (index % PODS_IN_A_SLICE === 0) await client.send('POST', slices, slice);
      else if (index % PODS_PER_SLICE_WRITE === 0) await client.send('PATCH', `${slices}/${name}`, { endpoints }, MERGE_PATCH);
    }
  };
  await Promise.all(Array.from({ length: load.creators }, worker));
}

function report(message: LoadMessage): void {
  process.send?.(message);
}

const fail = (error: unknown): void => report({ failed: String(error) });

/** Resolves when all Pods run. */
async function runLoad(load: ClusterLoad): Promise<void> {
  const client = new Client(load);
  for (const name of [NAMESPACE, 'kube-node-lease']) {
    await client.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await client.send('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  let running = 0;
  const allRunning = new Promise<void>((resolve) => {
    const onRunning = (): void => {
      running += 1;
      if (running === load.pods) resolve();
    };
    Promise.all(Array.from({ length: load.nodes }, (_, index) => startNode(load, index, onRunning)))
      .then(() => startScheduler(load))
      .then(() => report({ moving: true }))
      .then(() => createPods(load))
      .catch(fail);
  });
  await allRunning;
  report({ done: true });
}

process.once('disconnect', () => process.exit());
process.once('message', (load: ClusterLoad) => void runLoad(load).catch(fail));
