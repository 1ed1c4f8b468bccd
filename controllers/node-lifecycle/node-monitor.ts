/**
 * What is remembered of nodes between two looks: their last signs of life, whose pods are being taken, whose turn comes next. Decides what is to be done about a
 * node; does nothing itself.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Clock } from '../../shared/runtime/clock';
import type { JsonObject } from '../../shared/values/json';
import type { NodeSettings } from '../runtime/controller';
import { EvictionTurns } from './eviction-turns';
import { isLost, lostConditions, observe, readyStatus, type Moment, type NodeHealth, type ReadyStatus } from './health';
import { olderLabels } from './labels';
import { hasEviction, taintsFor, type Eviction } from './taints';
import { countsInZones, evictionRate, isBlackout, zoneOf, zoneState, type ZoneCount } from './zones';

export interface MonitorOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly settings: NodeSettings;
  readonly prefix: string;
  readonly leaseOf: (node: string) => ApiObject | undefined;
}

export class NodeMonitor {
  private readonly health = new Map<string, NodeHealth>();
  /** Nodes whose pods are taken, by name. */
  private readonly evicted = new Set<string>();
  /** Of nodes that have not changed: their zones, and whether they decide over them. */
  private readonly zones = new WeakMap<ApiObject, { readonly zone: string; readonly counts: boolean }>();
  private readonly turns: EvictionTurns;
  private inBlackout = false;

  constructor(private readonly options: MonitorOptions) {
    this.turns = new EvictionTurns(options.clock);
  }

  forget(node: string): void {
    this.health.delete(node);
    this.evicted.delete(node);
    this.turns.leave(node);
  }

  /** A look at all nodes: whose state asks for something. The names of the nodes to be worked on. */
  look(nodes: readonly ApiObject[]): readonly string[] {
    const counts = new Map<string, ZoneCount>();
    const statuses = new Map<string, ReadyStatus>();
    for (const node of nodes) {
      const status = this.statusOf(node);
      statuses.set(node.name, status);
      const place = this.placeOf(node);
      if (!place.counts) continue;
      const { ready, lost } = counts.get(place.zone) ?? { ready: 0, lost: 0 };
      counts.set(place.zone, status === 'True' ? { ready: ready + 1, lost } : { ready, lost: lost + 1 });
    }
    this.setRates(counts, nodes);
    for (const node of nodes) this.queue(node, statuses.get(node.name) ?? '');
    return nodes.filter((node) => this.isToDo(node, statuses.get(node.name) ?? '')).map(({ name }) => name);
  }

  /** For a turn to lose its pods. */
  isAnyoneWaiting(): boolean {
    return this.turns.isAnyoneWaiting();
  }

  /** The names of nodes whose pods may be taken from now on. */
  takeTurns(): readonly string[] {
    const taken = this.turns.take();
    for (const name of taken) this.evicted.add(name);
    return taken;
  }

  /** The conditions that a node is to get because it is lost; undefined = it is not, or they say so. */
  conditionsFor(node: ApiObject): readonly JsonObject[] | undefined {
    const moment = this.moment();
    return this.isLost(node, moment) ? lostConditions(node, moment) : undefined;
  }

  /** The change of its taints and labels that a node needs; undefined = none. */
  changeOf(node: ApiObject): JsonObject | undefined {
    const { prefix } = this.options;
    const taints = taintsFor(node, { eviction: this.evictionOf(node), prefix, now: this.moment().now });
    const labels = olderLabels(node, prefix);
    if (taints === undefined && labels === undefined) return undefined;
    const metadata = { uid: node.uid, resourceVersion: node.resourceVersion, ...(labels === undefined ? {} : { labels }) };
    return { metadata, ...(taints === undefined ? {} : { spec: { taints } }) };
  }

  private evictionOf(node: ApiObject): Eviction {
    if (this.inBlackout) return 'none';
    return this.evicted.has(node.name) ? 'begun' : 'kept';
  }

  private setRates(counts: ReadonlyMap<string, ZoneCount>, nodes: readonly ApiObject[]): void {
    const { settings } = this.options;
    const states = new Map([...counts].map(([zone, count]) => [zone, zoneState(count, settings)]));
    const wasInBlackout = this.inBlackout;
    this.inBlackout = isBlackout(states.values());
    // Nobody could be heard: from now on they have their time again.
    if (wasInBlackout && !this.inBlackout) for (const { name } of nodes) this.refresh(name);
    for (const [zone, count] of counts) {
      this.turns.setRate(zone, this.inBlackout ? 0 : evictionRate(states.get(zone) ?? 'normal', count, settings));
    }
    this.turns.keepOnly(new Set(nodes.map((node) => this.placeOf(node).zone)));
  }

  private placeOf(node: ApiObject): { readonly zone: string; readonly counts: boolean } {
    const place = this.zones.get(node) ?? { zone: zoneOf(node), counts: countsInZones(node) };
    this.zones.set(node, place);
    return place;
  }

  private refresh(name: string): void {
    const known = this.health.get(name);
    if (known !== undefined) this.health.set(name, { ...known, seenAt: this.moment().monotonic });
  }

  private queue(node: ApiObject, status: ReadyStatus): void {
    const isToBeEvicted = (status === 'False' || status === 'Unknown') && !this.inBlackout;
    if (isToBeEvicted && !this.evicted.has(node.name) && !hasEviction(node)) this.turns.wait(this.placeOf(node).zone, node.name);
    else if (!isToBeEvicted) {
      this.turns.leave(node.name);
      this.evicted.delete(node.name);
    }
  }

  /** Everything else follows from changes of the node itself, or from its turn. */
  private isToDo(node: ApiObject, status: ReadyStatus): boolean {
    return status !== readyStatus(node) || (this.inBlackout && hasEviction(node));
  }

  /** What its condition says, or has to say. */
  private statusOf(node: ApiObject): ReadyStatus {
    return this.isLost(node, this.moment()) ? 'Unknown' : readyStatus(node);
  }

  private isLost(node: ApiObject, moment: Moment): boolean {
    const { settings, leaseOf } = this.options;
    const health = observe(this.health.get(node.name), node, leaseOf(node.name), moment);
    this.health.set(node.name, health);
    return isLost(health, node, settings, moment);
  }

  private moment(): Moment {
    const { clock } = this.options;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }
}
