/**
 * Whose work goes next on the one thread that serves everyone. As long as a turn of the event loop is short, whoever comes goes on at once; beyond
 * that all wait, and are let go on half a millisecond's worth a turn, so that the loop gets back to what arrives: new connections, short requests,
 * the store's answers. The urgent go first, the others are not starved, and among equals every flow has its turn, however much another asks for.
 * When a turn has been long all the same, because somebody had something to do in one piece, what may take long lets as many pass as a request
 * needs: ten such hold up nobody for longer than one.
 * Never counts or limits requests: whoever waits here has been let in.
 */
import type { Clock } from '../runtime/clock';

/** What keeps a cluster alive or takes no time; what is usual; what takes long and may, and whoever is not done. */
export const PRIORITIES = ['urgent', 'usual', 'bulk'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Work of one turn, in milliseconds: whoever arrives during it waits for its end before anything is known of him. */
const TURN_MS = 0.5;
/** A turn of so many milliseconds was long. */
const LONG_MS = 5;
/** So many turns a request needs that came in a long one: its connection is read, it is let in, and it is answered. */
const TURNS_OF_A_REQUEST = 4;
/** Who is asked in turn; where nobody waits, the next one is. */
const ORDER: readonly Priority[] = ['urgent', 'urgent', 'urgent', 'usual', 'urgent', 'urgent', 'urgent', 'usual', 'bulk'];
/** Whom one does not pass, though they wait. */
const UNPASSED: Readonly<Record<Priority, readonly Priority[]>> = { urgent: ['urgent'], usual: PRIORITIES, bulk: PRIORITIES };

type GoOn = () => void;

interface Resting {
  readonly flow: string;
  readonly goOn: GoOn;
}

/** Those who wait at one priority: one of each flow in turn. */
class Line {
  private readonly flows = new Map<string, Set<GoOn>>();
  length = 0;

  add(flow: string, goOn: GoOn): void {
    const waiting = this.flows.get(flow);
    if (waiting === undefined) this.flows.set(flow, new Set([goOn]));
    else waiting.add(goOn);
    this.length += 1;
  }

  next(): GoOn | undefined {
    for (const [flow, waiting] of this.flows) {
      this.flows.delete(flow);
      for (const goOn of waiting) {
        waiting.delete(goOn);
        this.length -= 1;
        if (waiting.size > 0) this.flows.set(flow, waiting);
        return goOn;
      }
    }
    return undefined;
  }
}

/** How a turn is divided: what runs in the next one, and what runs in this one after all that the one let on has to do at once. */
export interface TurnScheduler {
  inNextTurn(run: () => void): void;
  afterwards(run: () => void): void;
}

const EVENT_LOOP: TurnScheduler = {
  inNextTurn: (run) => void setImmediate(run),
  // Ticks come before promises, but only when the promises that are due have run.
  afterwards: (run) => queueMicrotask(() => process.nextTick(run)),
};

export class Turns {
  private readonly lines: Readonly<Record<Priority, Line>> = { urgent: new Line(), usual: new Line(), bulk: new Line() };
  /** Those who have had this turn: they wait with the others from the next one on. */
  private resting: Resting[] = [];
  /** Clock.monotonic when this turn's work began; undefined = nothing was done yet. */
  private since: number | undefined;
  /** So many turns more belong to what is short. */
  private quiet = 0;
  private asked = 0;

  constructor(
    private readonly clock: Clock,
    private readonly scheduler: TurnScheduler = EVENT_LOOP,
  ) {}

  /** How many wait. */
  waiting(priority: Priority): number {
    return this.lines[priority].length + (priority === 'bulk' ? this.resting.length : 0);
  }

  /** Undefined = go on at once; otherwise resolves when it is one's turn. */
  take(priority: Priority, flow: string): Promise<void> | undefined {
    if (this.since === undefined) this.begin();
    if (this.isFree(priority) && !this.isOver()) return undefined;
    return new Promise((resolve) => this.lines[priority].add(flow, resolve));
  }

  /** For those who have had a turn and are not done: others have all of it before they go on. */
  wait(flow: string): Promise<void> {
    if (this.since === undefined) this.begin();
    return new Promise((resolve) => this.resting.push({ flow, goOn: resolve }));
  }

  /** Whether it may go on in this turn without passing anybody. */
  private isFree(priority: Priority): boolean {
    return this.isOpen(priority) && !UNPASSED[priority].some(this.isDue);
  }

  /** Turns after a long one are for what is short. */
  private isOpen(priority: Priority): boolean {
    return priority !== 'bulk' || this.quiet === 0;
  }

  /** Whether there are some who may be let on. */
  private readonly isDue = (priority: Priority): boolean => this.lines[priority].length > 0 && this.isOpen(priority);

  private begin(): void {
    this.since = this.clock.monotonic();
    this.scheduler.inNextTurn(() => this.turn());
  }

  /** Whether this turn has had its work: who is not done lets others go first. */
  isOver(): boolean {
    if (this.since === undefined) this.begin();
    return this.lasted() >= TURN_MS;
  }

  /** Milliseconds of work in this turn. */
  private lasted(): number {
    return this.since === undefined ? 0 : this.clock.monotonic() - this.since;
  }

  private turn(): void {
    const { lines } = this;
    for (const { flow, goOn } of this.resting) lines.bulk.add(flow, goOn);
    this.resting = [];
    if (this.quiet > 0) this.quiet -= 1;
    else if (this.lasted() >= LONG_MS) this.quiet = TURNS_OF_A_REQUEST - 1;
    if (lines.urgent.length + lines.usual.length + lines.bulk.length === 0) {
      this.since = undefined;
      return;
    }
    this.begin();
    this.letOn();
  }

  /** Lets one after the other go on while the turn lasts. What each does at once is done before the next. */
  private letOn(): void {
    this.next()?.();
    this.scheduler.afterwards(() => {
      if (PRIORITIES.some(this.isDue) && !this.isOver()) this.letOn();
    });
  }

  private next(): GoOn | undefined {
    for (let tries = 0; tries < ORDER.length; tries += 1) {
      const priority = ORDER[this.asked % ORDER.length] ?? 'usual';
      this.asked += 1;
      if (this.isDue(priority)) return this.lines[priority].next();
    }
    return undefined;
  }
}
