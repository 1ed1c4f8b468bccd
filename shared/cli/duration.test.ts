import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['300ms', 300],
    ['1.5s', 1_500],
    ['.5s', 500],
    ['5m0s', 300_000],
    ['1h2m3s', 3_723_000],
    ['-30s', -30_000],
    ['10us', 0.01],
  ])('parses %s as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
  });

  it.each(['', '5', 's', '1d', '1 s', '1s ', '1.s2', '--1s', '1sm', 'NaNs', 'Infinity'])('returns undefined for %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('parses what formatDuration writes for any duration', () => {
    fc.assert(fc.property(fc.integer({ min: -1e10, max: 1e10 }), (ms) => parseDuration(formatDuration(ms)) === ms));
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [250, '250ms'],
    [1_500, '1.5s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
    [-60_000, '-1m0s'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
