import { ManualClock } from '../../test/support/clock/manual-clock';
import { runSteps, type Steps } from './steps';
import { ItemYielder, slotTimeSlice, TimeSlice, yieldIfDue, type EventLoopSlot } from './yielding';

/** A slot that a test ends; counts how often it was requeued. */
class TestSlot implements EventLoopSlot {
  isTurnOver = false;
  requeues = 0;

  requeue(): Promise<void> {
    this.requeues += 1;
    return Promise.resolve();
  }
}

describe('yieldIfDue', () => {
  it('requeues a request once the turn of the event loop is over', async () => {
    const slot = new TestSlot();
    expect(yieldIfDue(slot)).toBeUndefined();
    slot.isTurnOver = true;
    await yieldIfDue(slot);
    expect(slot.requeues).toBe(1);
  });

  it('never yields where no scheduler runs', () => {
    expect(yieldIfDue({})).toBeUndefined();
  });
});

describe('TimeSlice', () => {
  it('yields to the event loop whenever five milliseconds have passed', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    function* work(): Steps<string> {
      for (let step = 0; step < 7; step += 1) {
        order.push(`step ${clock.monotonic()}`);
        clock.advance(2);
        yield;
      }
      return 'done';
    }
    const other = (): void => {
      order.push('other');
      if (order.length < 12) setImmediate(other);
    };
    setImmediate(other);
    expect(await runSteps(work(), new TimeSlice(clock, { stepsPerCheck: 1 }))).toBe('done');
    expect(order.slice(0, 9)).toEqual(['step 0', 'step 2', 'step 4', 'other', 'step 6', 'step 8', 'step 10', 'other', 'step 12']);
  });

  it('reads the clock after every 16 steps, and stays due until it has yielded', async () => {
    const clock = new ManualClock();
    const slice = new TimeSlice(clock, { yieldNow: () => Promise.resolve() });
    clock.advance(60);
    for (let step = 1; step < 16; step += 1) expect(slice.isDue()).toBe(false);
    expect(slice.isDue()).toBe(true);
    expect(slice.isDue()).toBe(true);
    await slice.yieldIfDue();
    expect(slice.isDue()).toBe(false);
  });

  it('requeues the slot of a request, whether or not the turn is over', async () => {
    const clock = new ManualClock();
    const slot = new TestSlot();
    const slice = new TimeSlice(clock, { slot, stepsPerCheck: 1 });
    expect(slice.yieldIfDue()).toBeUndefined();
    clock.advance(60);
    await slice.yieldIfDue();
    expect(slot.requeues).toBe(1);
    expect(slice.yieldIfDue()).toBeUndefined();
  });
});

describe('slotTimeSlice', () => {
  it('keeps the slot of a request that has waited long while the turn of the event loop is not over', async () => {
    const clock = new ManualClock();
    const slot = new TestSlot();
    const slice = slotTimeSlice(clock, slot);
    clock.advance(60);
    expect(slice.yieldIfDue()).toBeUndefined();
    slot.isTurnOver = true;
    await slice.yieldIfDue();
    expect(slot.requeues).toBe(1);
  });

  it('keeps the slot of a request that has run for less than five milliseconds although the turn is over', () => {
    const clock = new ManualClock();
    const slot = Object.assign(new TestSlot(), { isTurnOver: true });
    const slice = slotTimeSlice(clock, slot);
    clock.advance(4);
    expect(slice.yieldIfDue()).toBeUndefined();
  });

  it('yields where it is unknown whether the turn is over', async () => {
    const clock = new ManualClock();
    let requeues = 0;
    const slice = slotTimeSlice(clock, { requeue: () => Promise.resolve(void (requeues += 1)) });
    expect(slice.yieldIfDue()).toBeUndefined();
    clock.advance(60);
    await slice.yieldIfDue();
    expect(requeues).toBe(1);
    expect(slice.yieldIfDue()).toBeUndefined();
  });
});

describe('ItemYielder', () => {
  /** The number of items before each check. `answers`: whether the turn is over, at each check. */
  const itemsPerCheck = (answers: readonly boolean[], itemBytes = 0): number[] => {
    const counts: number[] = [];
    let items = 0;
    const slot: EventLoopSlot = {
      get isTurnOver() {
        counts.push(items);
        items = 0;
        return answers[counts.length - 1] === true;
      },
      requeue: () => Promise.resolve(),
    };
    const yielder = new ItemYielder(slot);
    while (counts.length < answers.length) {
      items += 1;
      void yielder.yieldIfDue(itemBytes);
    }
    return counts;
  };

  it('checks more often while the first check after a yield is too late, and less often again when it is not', () => {
    // The check that follows a `true` is the first one after a yield: `true` halves the next number, `false` doubles it.
    const answers = [true, true, true, true, true, false, false, true, false, false];
    expect(itemsPerCheck(answers)).toEqual([16, 8, 4, 2, 1, 1, 2, 2, 2, 4]);
  });

  it('checks after every 64 KiB', () => {
    expect(itemsPerCheck([false, false, false], 16 * 1024)).toEqual([4, 4, 4]);
  });

  it('checks after an item that may have taken long', async () => {
    const slot = Object.assign(new TestSlot(), { isTurnOver: true });
    const yielder = new ItemYielder(slot);
    expect(yielder.yieldIfDue(10)).toBeUndefined();
    await yielder.yieldAfterLongItem();
    expect(slot.requeues).toBe(1);
  });
});
