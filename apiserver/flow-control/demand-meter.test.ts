/** The statistics of each period, for a level that demands ten seats in the first half second and none afterwards. */
import { DemandMeter } from './demand-meter';

/** A meter at the end of its first period, which lasted from 0 to 1,000 ms. */
function meterAfterFirstPeriod() {
  const meter = new DemandMeter(0);
  meter.set(10, 0);
  meter.set(0, 500);
  return { meter, firstPeriod: meter.reset(1_000) };
}

describe('DemandMeter', () => {
  it('weights the demand of a period by its duration', () => {
    expect(meterAfterFirstPeriod().firstPeriod).toMatchObject({ highest: 10, average: 5, deviation: 5 });
  });

  it('starts each period with the demand at the end of the previous one', () => {
    const { meter } = meterAfterFirstPeriod();
    expect(meter.reset(2_000)).toMatchObject({ highest: 0, average: 0, deviation: 0 });
  });

  it('decreases the smoothed demand slowly', () => {
    const { meter, firstPeriod } = meterAfterFirstPeriod();
    // The average and the deviation of the first period together.
    expect(firstPeriod.smoothed).toBe(10);
    meter.reset(2_000);
    expect(meter.latest.smoothed).toBeCloseTo(9.77);
  });

  it('counts a demand at the end of a period in the maximum but not in the average', () => {
    const { meter } = meterAfterFirstPeriod();
    meter.set(3, 2_000);
    expect(meter.reset(2_000)).toMatchObject({ highest: 3, average: 0 });
  });
});
