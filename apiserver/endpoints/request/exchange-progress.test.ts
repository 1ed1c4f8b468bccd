/** What a request's progress reports after each record. */
import { ExchangeProgress } from './exchange-progress';

/** A body may take a second, and another one for each hundred bytes. */
const PACE = { patienceMs: 1_000, bytesPerSecond: 100 };

describe('ExchangeProgress', () => {
  it('has no status, no body and an open connection at first', () => {
    expect(new ExchangeProgress()).toMatchObject({
      status: 0,
      sentBytes: 0,
      bodyBytes: undefined,
      isAbandoned: false,
      isTerminated: false,
      closesConnection: false,
    });
  });

  it('counts the time of a body from the first check of its pace', () => {
    const progress = new ExchangeProgress();
    progress.startBody();
    expect(progress.isBodyTooSlow(PACE, 5_000)).toBe(false);
    expect(progress.isBodyTooSlow(PACE, 6_000)).toBe(false);
    expect(progress.isBodyTooSlow(PACE, 6_001)).toBe(true);
  });

  it('allows a body more time the more of it has been received', () => {
    const progress = new ExchangeProgress();
    progress.startBody();
    progress.isBodyTooSlow(PACE, 0);
    progress.addBodyBytes(100);
    expect(progress.isBodyTooSlow(PACE, 2_000)).toBe(false);
    expect(progress.isBodyTooSlow(PACE, 2_001)).toBe(true);
  });

  it('reports no slow body before and after the body is read', () => {
    const progress = new ExchangeProgress();
    expect(progress.isBodyTooSlow(PACE, 0)).toBe(false);
    progress.startBody();
    progress.isBodyTooSlow(PACE, 0);
    progress.endBody();
    expect(progress.isBodyTooSlow(PACE, 10_000)).toBe(false);
  });

  it('adds up the bytes of a response that is sent in chunks', () => {
    const progress = new ExchangeProgress();
    progress.addSentBytes(2);
    progress.addSentBytes(3);
    expect(progress.sentBytes).toBe(5);
  });

  it('closes the connection when the body is refused', () => {
    const progress = new ExchangeProgress();
    progress.refuseBody();
    expect(progress).toMatchObject({ closesConnection: true, refusesBody: true, goesAway: false });
  });

  it('closes the connection when the client must open another one', () => {
    const progress = new ExchangeProgress();
    progress.goAway();
    expect(progress).toMatchObject({ closesConnection: true, refusesBody: false, goesAway: true });
  });
});
