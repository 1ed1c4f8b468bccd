/** Whose turn it is to lose its pods: lost nodes wait in their zones, each of which lets go so many a second. Knows no reason for losing them. */
import type { Clock } from '../../shared/runtime/clock';

interface Zone {
  readonly waiting: Set<string>;
  /** Turns that have come and were not taken; one at most. */
  turns: number;
  at: number;
  perSecond: number;
}

export class EvictionTurns {
  private readonly zones = new Map<string, Zone>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  setRate(zone: string, perSecond: number): void {
    const found = this.zone(zone);
    this.refill(found);
    found.perSecond = perSecond;
  }

  wait(zone: string, node: string): void {
    for (const [name, { waiting }] of this.zones) if (name !== zone) waiting.delete(node);
    this.zone(zone).waiting.add(node);
  }

  leave(node: string): void {
    for (const { waiting } of this.zones.values()) waiting.delete(node);
  }

  /** Forgets zones that have no nodes any more. */
  keepOnly(zones: ReadonlySet<string>): void {
    for (const name of this.zones.keys()) if (!zones.has(name)) this.zones.delete(name);
  }

  isAnyoneWaiting(): boolean {
    for (const { waiting } of this.zones.values()) if (waiting.size > 0) return true;
    return false;
  }

  /** Those whose turn has come; they wait no more. */
  take(): readonly string[] {
    const taken: string[] = [];
    for (const zone of this.zones.values()) {
      this.refill(zone);
      for (const node of zone.waiting) {
        if (zone.turns < 1 || zone.perSecond === 0) break;
        zone.turns -= 1;
        zone.waiting.delete(node);
        taken.push(node);
      }
    }
    return taken;
  }

  private zone(name: string): Zone {
    const found = this.zones.get(name) ?? { waiting: new Set(), turns: 1, at: this.clock.monotonic(), perSecond: 0 };
    this.zones.set(name, found);
    return found;
  }

  private refill(zone: Zone): void {
    const now = this.clock.monotonic();
    zone.turns = Math.min(1, zone.turns + ((now - zone.at) / 1000) * zone.perSecond);
    zone.at = now;
  }
}
