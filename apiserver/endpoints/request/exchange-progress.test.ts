import { ExchangeProgress } from './exchange-progress';

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

  it('allows a body more time the more of it has been received, from the first check on', () => {
    const progress = new ExchangeProgress();
    expect(progress.isBodyTooSlow(PACE, 0)).toBe(false);
    progress.startBody();
    expect(progress.isBodyTooSlow(PACE, 5_000)).toBe(false);
    expect(progress.isBodyTooSlow(PACE, 6_001)).toBe(true);
    expect(progress.addBodyBytes(100)).toBe(100);
    expect(progress.isBodyTooSlow(PACE, 6_001)).toBe(false);
    expect(progress.isBodyTooSlow(PACE, 7_001)).toBe(true);
    progress.endBody();
    expect(progress.isBodyTooSlow(PACE, 7_001)).toBe(false);
  });

  it('adds up the bytes of a response that is sent in chunks', () => {
    const progress = new ExchangeProgress();
    progress.addSentBytes(2);
    progress.addSentBytes(3);
    expect(progress.sentBytes).toBe(5);
  });

  it('closes the connection when the body is refused and when the client must open another one', () => {
    const refusingBody = new ExchangeProgress();
    const goingAway = new ExchangeProgress();
    refusingBody.refuseBody();
    goingAway.goAway();
    expect(refusingBody).toMatchObject({ closesConnection: true, refusesBody: true, goesAway: false });
    expect(goingAway).toMatchObject({ closesConnection: true, refusesBody: false, goesAway: true });
  });
});
