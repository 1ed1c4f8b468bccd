import fc from 'fast-check';
import { canonicalInstant, canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseInstant, TimeError } from './time';

test.each([
  ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
  ['2024-01-01T00:00:00.999Z', '2024-01-01T00:00:00Z'],
  ['2024-02-29T23:59:59+02:30', '2024-02-29T21:29:59Z'],
  ['2024-01-01T1:00:00Z', '2024-01-01T01:00:00Z'],
  ['0001-01-01T00:00:00Z', null],
])('canonicalTime writes %s as %s', (text, canonical) => {
  expect(canonicalTime(text)).toBe(canonical);
});

test('canonicalMicroTime converts to UTC with six digits', () => {
  expect(canonicalMicroTime('2024-01-01T00:00:00.123456+01:00')).toBe('2023-12-31T23:00:00.123456Z');
});

/** Recorded from release 1.31.1. */
test.each([
  ['abc', 'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"'],
  ['2024-01-01', 'parsing time "2024-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
  ['2024-02-30T00:00:00Z', 'parsing time "2024-02-30T00:00:00Z": day out of range'],
  ['2024-02-20T23:00:00Zx', 'parsing time "2024-02-20T23:00:00Zx": extra text: "x"'],
])('canonicalTime rejects %s with the error of upstream', (text, message) => {
  expect(() => canonicalTime(text)).toThrow(message);
});

test('canonicalMicroTime rejects a time without six digits', () => {
  expect(() => canonicalMicroTime('2024-01-01T00:00:00Z')).toThrow(
    'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  );
});

test('canonicalTime truncates a long text in its error', () => {
  expect(() => canonicalTime('é'.repeat(100_000))).toThrow(
    new TimeError(
      `parsing time "${'\\xc3\\xa9'.repeat(500)}"... as "2006-01-02T15:04:05Z07:00": cannot parse "${'\\xc3\\xa9'.repeat(500)}"... as "2006"`,
    ),
  );
});

test('parseInstant reads what formatTime writes for every second of the calendar', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }), (seconds) => {
      const text = formatTime({ seconds, nanos: 0 });
      expect(text).toBe(new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));
      expect(parseInstant(text ?? '', 'Time')).toEqual({ seconds, nanos: 0 });
      expect(canonicalInstant(text ?? '')).toEqual({ seconds, nanos: 0 });
    }),
  );
});

test.each([
  ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z', 253_402_304_399],
  ['0000-01-01T00:00:00+14:00', '-0001-12-31T10:00:00Z', -62_167_269_600],
])('canonicalInstant reads %s, which in UTC is %s', (text, inUtc, seconds) => {
  expect(canonicalTime(text)).toBe(inUtc);
  expect(canonicalInstant(inUtc)).toEqual({ seconds, nanos: 0 });
});

test('canonicalInstant reads the microseconds that formatMicroTime writes', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }), fc.nat({ max: 999_999 }), (seconds, micros) => {
      const instant = { seconds, nanos: micros * 1000 };
      expect(canonicalInstant(formatMicroTime(instant) ?? '')).toEqual(instant);
    }),
  );
});
