/**
 * Remembers the health of all nodes, the nodes from which pods are evicted, and the nodes that wait for eviction.
 * Decides which conditions, taints and labels a node needs; the controller writes them.
 */
import type { CoreV1Node, CoreV1NodeCondition } from '../../shared/api/types/generated/members';
import type { MergePatch } from '../../shared/client/rest/request-options';
import type { Clock } from '../../shared/runtime/clock';
import type { NodeSettings } from '../runtime/controller';
import type { Node } from '../runtime/nodes';
import { deprecatedLabelPatch } from './deprecated-labels';
import { EvictionQueue } from './eviction-queue';
import {
  isUnresponsive,
  observeNodeHealth,
  readyStatus,
  unknownConditions,
  type HealthTimestamp,
  type Lease,
  type NodeHealth,
  type ReadyStatus,
} from './node-health';
import { hasNoExecuteTaint, reconcileTaints, type Eviction } from './node-taints';
import { areAllZonesDisrupted, computeZoneState, countsInZoneState, evictionRate, zoneKeyOf, type ZoneCounts } from './zone-state';

/** The clock and settings of the monitor. */
export interface NodeMonitorOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly settings: NodeSettings;
  /** The prefix of the label and taint keys that are written. */
  readonly prefix: string;
  /** The lease that the kubelet of the node renews; undefined when there is none. */
  readonly leaseOf: (nodeName: string) => Lease | undefined;
}

/** The zone of a node. */
interface ZoneMembership {
  /** See {@link zoneKeyOf}. */
  readonly zone: string;
  /** Whether the node counts in the state of its zone. */
  readonly isCounted: boolean;
}

/** Called from one loop and from the syncs of nodes; it makes no requests, so no call interrupts another. */
export class NodeMonitor {
  /** By the name of the node. */
  private readonly health = new Map<string, NodeHealth>();
  /** Names of nodes with an eviction in progress. */
  private readonly evicting = new Set<string>();
  /** Computed once for each version of a node. */
  private readonly memberships = new WeakMap<Node, ZoneMembership>();
  private readonly evictionQueue: EvictionQueue;
  /** All zones are in full disruption, as of the last {@link monitorNodeHealth}: no pods are evicted. */
  private areAllZonesDisrupted = false;

  constructor(private readonly options: NodeMonitorOptions) {
    this.evictionQueue = new EvictionQueue(options.clock);
  }

  /** Call it when the node was deleted. */
  forget(nodeName: string): void {
    this.health.delete(nodeName);
    this.evicting.delete(nodeName);
    this.evictionQueue.remove(nodeName);
  }

  /**
   * Observes the health of all nodes and queues those to evict from. Returns the names of nodes that need other
   * conditions or taints.
   */
  monitorNodeHealth(nodes: readonly Node[]): readonly string[] {
    const countsByZone = new Map<string, ZoneCounts>();
    const statuses = new Map<string, ReadyStatus>();
    for (const node of nodes) {
      const status = this.effectiveStatus(node);
      statuses.set(node.name, status);
      const { zone, isCounted } = this.membershipOf(node);
      if (!isCounted) continue;
      const { ready, notReady } = countsByZone.get(zone) ?? { ready: 0, notReady: 0 };
      countsByZone.set(zone, status === 'True' ? { ready: ready + 1, notReady } : { ready, notReady: notReady + 1 });
    }
    this.handleDisruption(countsByZone, nodes);
    for (const node of nodes) this.updateEvictionQueue(node, statuses.get(node.name) ?? '');
    return nodes.filter((node) => this.needsSync(node, statuses.get(node.name) ?? '')).map(({ name }) => name);
  }

  /** Whether some node waits for its eviction to start. */
  hasPendingEvictions(): boolean {
    return this.evictionQueue.hasNodes();
  }

  /** Starts the evictions that the rates of the zones allow now. Returns the names of their nodes. */
  startDueEvictions(): readonly string[] {
    const due = this.evictionQueue.takeDue();
    for (const name of due) this.evicting.add(name);
    return due;
  }

  /** The conditions that an unresponsive node should have; undefined for other nodes, and when no condition must change. */
  unknownConditionsOf(node: Node): readonly CoreV1NodeCondition[] | undefined {
    const instant = this.instant();
    return this.isUnresponsive(node, instant) ? unknownConditions(node, instant) : undefined;
  }

  /** A merge patch with the observed resourceVersion; undefined when the node has the right taints and labels. */
  taintAndLabelPatch(node: Node): MergePatch<CoreV1Node> | undefined {
    const { prefix } = this.options;
    const taints = reconcileTaints(node, { eviction: this.evictionOf(node), prefix, now: this.instant().now });
    const labels = deprecatedLabelPatch(node, prefix);
    if (taints === undefined && labels === undefined) return undefined;
    const metadata = { uid: node.uid, resourceVersion: node.resourceVersion, ...(labels === undefined ? {} : { labels }) };
    return { metadata, ...(taints === undefined ? {} : { spec: { taints } }) };
  }

  private evictionOf({ name }: Node): Eviction {
    if (this.areAllZonesDisrupted) return 'none';
    return this.evicting.has(name) ? 'in-progress' : 'unchanged';
  }

  /** Computes the states of the zones and sets the rates of their evictions. */
  private handleDisruption(countsByZone: ReadonlyMap<string, ZoneCounts>, nodes: readonly Node[]): void {
    const { settings } = this.options;
    const states = new Map([...countsByZone].map(([zone, counts]) => [zone, computeZoneState(counts, settings)]));
    const wereAllZonesDisrupted = this.areAllZonesDisrupted;
    this.areAllZonesDisrupted = areAllZonesDisrupted(states.values());
    // No sign of life could arrive during the disruption, so all grace periods start again.
    if (wereAllZonesDisrupted && !this.areAllZonesDisrupted) for (const { name } of nodes) this.restartGracePeriod(name);
    for (const [zone, counts] of countsByZone) {
      const rate = this.areAllZonesDisrupted ? 0 : evictionRate(states.get(zone) ?? 'normal', counts, settings);
      this.evictionQueue.setRate(zone, rate);
    }
    this.evictionQueue.retainZones(new Set(nodes.map((node) => this.membershipOf(node).zone)));
  }

  private membershipOf(node: Node): ZoneMembership {
    const membership = this.memberships.get(node) ?? { zone: zoneKeyOf(node), isCounted: countsInZoneState(node) };
    this.memberships.set(node, membership);
    return membership;
  }

  private restartGracePeriod(nodeName: string): void {
    const health = this.health.get(nodeName);
    if (health !== undefined) this.health.set(nodeName, { ...health, lastSeen: this.instant().monotonic });
  }

  /**
   * By the stored condition, as upstream does: an unresponsive node is queued one period after the one in which its
   * condition becomes `Unknown`. A node without a condition is queued at once.
   */
  private updateEvictionQueue(node: Node, effectiveStatus: ReadyStatus): void {
    const status = readyStatus(node) || effectiveStatus;
    const shouldEvict = (status === 'False' || status === 'Unknown') && !this.areAllZonesDisrupted;
    if (!shouldEvict) {
      this.evictionQueue.remove(node.name);
      this.evicting.delete(node.name);
    } else if (!this.evicting.has(node.name) && !hasNoExecuteTaint(node)) {
      this.evictionQueue.add(this.membershipOf(node).zone, node.name);
    }
  }

  /**
   * Whether the node is enqueued, although its object has not changed: it has become unresponsive, or its eviction must
   * be cancelled.
   */
  private needsSync(node: Node, status: ReadyStatus): boolean {
    return status !== readyStatus(node) || (this.areAllZonesDisrupted && hasNoExecuteTaint(node));
  }

  /** `Unknown` for an unresponsive node, even before its condition is written. */
  private effectiveStatus(node: Node): ReadyStatus {
    return this.isUnresponsive(node, this.instant()) ? 'Unknown' : readyStatus(node);
  }

  private isUnresponsive(node: Node, instant: HealthTimestamp): boolean {
    const { settings, leaseOf } = this.options;
    const health = observeNodeHealth(this.health.get(node.name), node, leaseOf(node.name), instant);
    this.health.set(node.name, health);
    return isUnresponsive(health, node, settings, instant);
  }

  private instant(): HealthTimestamp {
    const { clock } = this.options;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }
}
