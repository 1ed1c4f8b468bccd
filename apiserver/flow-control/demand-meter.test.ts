import { DemandMeter } from './demand-meter';

it('DemandMeter reports the maximum, average and deviation since the last reset', () => {
  const meter = new DemandMeter(0);
  meter.set(10, 0);
  meter.set(0, 500);
  expect(meter.reset(1_000)).toEqual({ highest: 10, average: 5, deviation: 5, smoothed: 10 });
  expect(meter.reset(2_000)).toMatchObject({ highest: 0, average: 0, deviation: 0 });
  expect(meter.latest.smoothed).toBeCloseTo(9.77);
  meter.set(3, 2_500);
  expect(meter.reset(2_500)).toMatchObject({ highest: 3, average: 0 });
});
