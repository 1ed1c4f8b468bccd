/**
 * The requests of one priority level: so many seats at a time, and the rest in queues, from which they are taken fairly. Each queue has had so much work done for it,
 * in seat seconds; the queue that will be behind the others once its first request is done is next, and one that was empty begins where the others are, so that nobody saves up turns. A
 * flow uses one of a few queues that are dealt to it, the shortest, so that who floods the level fills his own queues and not those of others.
 * Knows neither users nor requests.
 */
import { dealHand } from './shuffle-shard';

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  /** Requests that may wait in one queue. */
  readonly lengthLimit: number;
}

/** Why a request has got no seats, in upstream's words. */
export type SeatRefusal = 'queue-full' | 'time-out' | 'cancelled' | 'concurrency-limit';

/** A request that waits. */
export interface Waiting {
  readonly seats: number;
  /** Is told once. */
  readonly decided: (outcome: 'dispatched' | 'cancelled' | 'time-out') => void;
}

interface Place extends Waiting {
  readonly queue: Queue;
  isGone: boolean;
}

class Queue {
  /** First in, first out; those that have gone are passed over. */
  places: Place[] = [];
  head = 0;
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;
  /** Work that it has had, or has been let off. */
  work = 0;

  constructor(readonly index: number) {}

  get isActive(): boolean {
    return this.waiting > 0 || this.executing > 0;
  }
}

/** Until it is over a request is taken to be this long. Milliseconds. */
const GUESSED_MS = 3;
/** Beyond so many passed places a queue's list is made anew. */
const COMPACT = 64;

/** Gives a seat back; `ms` = how long it was used. */
export type GiveBack = (ms: number) => void;

/** To be called before the request has been decided on: it is not waited for any more. */
export type GiveUp = (outcome: 'cancelled' | 'time-out') => void;

export interface Enqueued {
  readonly giveUp: GiveUp;
  /** Of the queue, with this one. */
  readonly length: number;
  /** Gives the seats back that it was given. */
  readonly leave: GiveBack;
}

export class QueueSet {
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
  private limit = 0;
  private readonly queues = new Map<number, Queue>();
  private queuing: Queuing | undefined;

  constructor(private readonly changed: () => void) {}

  /** `queuing` undefined = what has no seat is refused. Requests that wait in queues which are no more stay where they are. */
  configure(queuing: Queuing | undefined): void {
    this.queuing = queuing;
  }

  get seats(): number {
    return this.limit;
  }

  /** Whoever has a seat keeps it. */
  setLimit(seats: number): void {
    this.limit = seats;
    this.dispatch();
  }

  /** Undefined = it has to wait, or is refused: see {@link enqueue}. */
  enter(seats: number): GiveBack | undefined {
    if (this.waiting > 0 || !this.fits(seats)) return undefined;
    this.take(seats, undefined);
    return (ms) => this.giveBack(seats, undefined, ms);
  }

  /** A place in a queue. `dispatched` is told through `decided`, and the seats are then given back by {@link leave}. */
  enqueue(flow: string, { seats, decided }: Waiting): Enqueued | 'queue-full' | 'concurrency-limit' {
    const { queuing } = this;
    if (queuing === undefined) return 'concurrency-limit';
    const queue = this.shortest(flow, queuing);
    if (queue.waiting >= queuing.lengthLimit) return 'queue-full';
    if (!queue.isActive) queue.work = this.present();
    const place: Place = { seats, decided, queue, isGone: false };
    queue.places.push(place);
    this.wait(place, 1);
    const length = queue.waiting;
    this.dispatch();
    return { giveUp: (outcome) => this.giveUp(place, outcome), length, leave: (ms) => this.giveBack(seats, queue, ms) };
  }

  /** How many queues have something to do. */
  get activeQueues(): number {
    let active = 0;
    for (const queue of this.queues.values()) if (queue.isActive) active += 1;
    return active;
  }

  /** One that needs more seats than there are goes in alone. */
  private fits(seats: number): boolean {
    return this.executingSeats === 0 ? this.limit > 0 : this.executingSeats + seats <= this.limit;
  }

  private take(seats: number, queue: Queue | undefined): void {
    this.executing += 1;
    this.executingSeats += seats;
    if (queue !== undefined) {
      queue.executing += 1;
      queue.executingSeats += seats;
      queue.work += seats * GUESSED_MS;
    }
    this.changed();
  }

  private giveBack(seats: number, queue: Queue | undefined, ms: number): void {
    this.executing -= 1;
    this.executingSeats -= seats;
    if (queue !== undefined) {
      queue.executing -= 1;
      queue.executingSeats -= seats;
      queue.work += seats * (ms - GUESSED_MS);
      this.forget(queue);
    }
    this.changed();
    if (this.waiting > 0) this.dispatch();
  }

  private wait({ seats, queue }: Place, count: 1 | -1): void {
    this.waiting += count;
    this.waitingSeats += count * seats;
    queue.waiting += count;
    queue.waitingSeats += count * seats;
    this.changed();
  }

  private giveUp(place: Place, outcome: 'cancelled' | 'time-out'): void {
    if (place.isGone) return;
    place.isGone = true;
    this.wait(place, -1);
    this.forget(place.queue);
    place.decided(outcome);
    this.dispatch();
  }

  private dispatch(): void {
    while (this.waiting > 0) {
      const queue = this.next();
      const place = queue === undefined ? undefined : firstOf(queue);
      if (queue === undefined || place === undefined || !this.fits(place.seats)) return;
      place.isGone = true;
      queue.head += 1;
      this.wait(place, -1);
      this.take(place.seats, queue);
      place.decided('dispatched');
    }
  }

  /**
   * The queue that will have had least when its next request is over, as far as can be guessed: of two that have had the same, the one whose request needs fewer
   * seats. Otherwise a small request would wait behind a large one that has to wait itself until many seats are free.
   */
  private next(): Queue | undefined {
    let next: Queue | undefined;
    let least = Infinity;
    for (const queue of this.queues.values()) {
      const seats = queue.waiting > 0 ? firstOf(queue)?.seats : undefined;
      if (seats === undefined || queue.work + seats * GUESSED_MS >= least) continue;
      [next, least] = [queue, queue.work + seats * GUESSED_MS];
    }
    return next;
  }

  /** Where the others are. */
  private present(): number {
    let least = Infinity;
    for (const queue of this.queues.values()) if (queue.isActive && queue.work < least) least = queue.work;
    return least === Infinity ? 0 : least;
  }

  /** Of the queues that are dealt to a flow the one with the least in it. */
  private shortest(flow: string, { queues, handSize }: Queuing): Queue {
    let [best, load] = [0, Infinity];
    for (const card of dealHand(flow, queues, Math.min(handSize, queues))) {
      const queue = this.queues.get(card);
      const found = queue === undefined ? 0 : queue.waitingSeats + queue.executingSeats;
      if (found < load) [best, load] = [card, found];
    }
    return this.queueAt(best);
  }

  private queueAt(index: number): Queue {
    let queue = this.queues.get(index);
    if (queue === undefined) this.queues.set(index, (queue = new Queue(index)));
    return queue;
  }

  /** There may be millions of queues, few of which are ever used. */
  private forget(queue: Queue): void {
    if (!queue.isActive) this.queues.delete(queue.index);
  }
}

function firstOf(queue: Queue): Place | undefined {
  while (queue.places[queue.head]?.isGone === true) queue.head += 1;
  if (queue.head > COMPACT) {
    queue.places = queue.places.slice(queue.head);
    queue.head = 0;
  }
  return queue.places[queue.head];
}
