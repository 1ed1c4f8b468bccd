/**
 * Nodes without machines: creates Node objects with a Lease each, and renews every Lease every 10 s as a kubelet does,
 * spread evenly over that time. The pods on them are not run. Names are upstream's, which both servers accept.
 */
import type { BenchClient } from '../harness/client';
import { forEachNumber } from '../harness/timing';
import { waitUntil } from '../../support/programs';

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** The kubelet's period of heartbeats. */
const RENEWAL_MS = 10_000;
const READY_POLLS = { pollMs: 500, timeoutMs: 300_000 };
/** Requests in flight while nodes are created. */
const WORKERS = 16;

interface KubeletLease {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: { readonly holderIdentity: string; readonly leaseDurationSeconds: number; readonly renewTime: string };
}

/** The heartbeats of `count` nodes, from `start` until `stop`. A renewal that fails ends the program. */
export class Kubelets {
  /** Renewals that were sent. */
  renewals = 0;
  private readonly leases = new Map<string, KubeletLease>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  /** The last renewal of each Lease, which may be in flight. */
  private readonly lastRenewals = new Map<string, Promise<void>>();
  private isEnded = false;

  constructor(
    private readonly client: BenchClient,
    private readonly count: number,
  ) {}

  get names(): readonly string[] {
    return Array.from({ length: this.count }, (_, index) => nodeName(index));
  }

  /** Resolves when the controllers have removed the taints of all new nodes. */
  async start(): Promise<void> {
    await forEach(this.names, async (name) => {
      await this.client.send('POST', NODES, nodeBody(name));
      const lease = leaseBody(name);
      this.leases.set(name, await this.send('POST', LEASES, lease));
      this.renewAfter(name, Math.random() * RENEWAL_MS);
    });
    await waitUntil('the nodes to become ready', async () => (await this.countUnready()) === 0, READY_POLLS);
  }

  /** Nodes with a taint of the node lifecycle controller. */
  async countUnready(): Promise<number> {
    const list = await this.client.text('GET', NODES);
    return (list.match(/"key":\s*"node\.(kubernetes|platform)\.io\/(not-ready|unreachable)",\s*"effect":\s*"NoSchedule"/g) ?? []).length;
  }

  /** Binds the pods to the nodes in turn, as a scheduler does. */
  async bindPods(namespace: string, pods: readonly string[]): Promise<void> {
    const { names } = this;
    await forEach(pods, async (pod, index) => {
      const target = { apiVersion: 'v1', kind: 'Node', name: names[index % names.length] };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod }, target };
      await this.client.send('POST', `/api/v1/namespaces/${namespace}/pods/${pod}/binding`, binding);
    });
  }

  /** Ends the renewals and deletes the nodes and their Leases. */
  async stop(): Promise<void> {
    this.isEnded = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.lastRenewals.values());
    await forEach([...this.leases.keys()], async (name) => {
      await this.client.send('DELETE', `${NODES}/${name}`);
      await this.client.send('DELETE', `${LEASES}/${name}`);
    });
  }

  /** `ms` may be negative: then the renewal is late and is sent at once. */
  private renewAfter(name: string, ms: number): void {
    this.timers.set(
      name,
      setTimeout(() => this.lastRenewals.set(name, this.renew(name)), Math.max(0, ms)),
    );
  }

  /** Renews the Lease now, and again a period after the start of this renewal. */
  private async renew(name: string): Promise<void> {
    const startedAt = performance.now();
    const lease = this.leases.get(name) ?? leaseBody(name);
    this.leases.set(name, await this.send('PUT', `${LEASES}/${name}`, { ...lease, spec: { ...lease.spec, renewTime: now() } }));
    this.renewals += 1;
    if (!this.isEnded) this.renewAfter(name, RENEWAL_MS - (performance.now() - startedAt));
  }

  /** Writes the Lease and returns it with the metadata of the response, which the next write needs. */
  private async send(method: string, path: string, lease: KubeletLease): Promise<KubeletLease> {
    const { metadata } = JSON.parse(await this.client.text(method, path, lease)) as KubeletLease;
    return { ...lease, metadata };
  }
}

/** The name of the node with this index. */
export const nodeName = (index: number): string => `bench-node-${index}`;

const forEach = <T>(items: readonly T[], action: (item: T, index: number) => Promise<void>): Promise<void> =>
  forEachNumber({ to: items.length, workers: WORKERS }, async (index) => {
    const item = items[index];
    if (item !== undefined) await action(item, index);
  });

/** The present time with microseconds, as Leases have it. */
const now = (): string => new Date().toISOString().replace('Z', '000Z');

const leaseBody = (name: string): KubeletLease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: now() },
});

/** About as large as the Node of a real kubelet with few images. */
function nodeBody(name: string): object {
  const time = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'KubeletReady' },
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
    { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID' },
  ].map((condition) => ({ ...condition, message: condition.reason, lastHeartbeatTime: time, lastTransitionTime: time }));
  const resources = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '200Gi' };
  const images = Array.from({ length: 20 }, (_, index) => ({
    names: [`registry.example.com/image-${index}:1`],
    sizeBytes: 1_000_000 + index,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
    spec: {},
    status: { conditions, capacity: resources, allocatable: resources, images, addresses: [{ type: 'Hostname', address: name }] },
  };
}
