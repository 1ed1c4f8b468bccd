import { canonicalQuantity, compareQuantities, parseQuantity, QuantityError, roundUpToMilli, formatQuantity } from './quantity';

/** Recorded from release 1.31.1. */
const CANONICAL: Record<string, string> = {
  '0': '0', '1': '1', '1000': '1k', '1024': '1024', '1Ki': '1Ki', '1024Ki': '1Mi', '1.5Gi': '1536Mi', '0.5Ki': '512', '1.5Ki': '1536',
  '1.0001Ki': '1024102400u', '0.1m': '100u', '0.1n': '1n', '1500m': '1500m', '1000m': '1', '0.001': '1m', '1e3': '1e3', '1E3': '1E3',
  '1e4': '10e3', '1500e3': '1500e3', '1e1': '10', '+5': '+5', '.5': '500m', '5.': '5.', '00012': '00012', '1.10': '1100m',
  '10000000000000000000': '10E', '9223372036854775808': '9223372036854775808', '8Ei': '9223372036854775807', '1e19': '10e18',
  '1e30': '1e30', '1e-10': '1e-9', '0Ki': '0', '0100': '0100', '5.0': '5', '+1.5': '1500m', '7e0': '7e0', '7000e0': '7e3', 'm': '0', ' 1': '1',
}; // prettier-ignore

test.each(Object.entries(CANONICAL))('canonicalQuantity writes %s as %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
  expect(canonicalQuantity(canonical)).toBe(canonical);
});

test.each(['', 'x', '1x', '1m5x', '1 2', '1,5'])('canonicalQuantity rejects the malformed quantity %j', (text) => {
  expect(() => canonicalQuantity(text)).toThrow(
    new QuantityError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
  );
});

test.each(['--1', '1KiKi', '1e', '1m5'])('canonicalQuantity rejects the unknown suffix of %j', (text) => {
  expect(() => canonicalQuantity(text)).toThrow(new QuantityError("unable to parse quantity's suffix"));
});

test('compareQuantities compares by value, not by spelling', () => {
  expect(compareQuantities('1Gi', '1073741824')).toBe(0);
  expect(compareQuantities('100m', '0.2')).toBeLessThan(0);
  expect(compareQuantities('-1', '-2')).toBeGreaterThan(0);
});

test('roundUpToMilli rounds away from zero', () => {
  expect(formatQuantity(roundUpToMilli(parseQuantity('0.0001')))).toBe('1m');
  expect(formatQuantity(roundUpToMilli(parseQuantity('-0.0001')))).toBe('-1m');
});

test('canonicalQuantity accepts a huge exponent', () => {
  expect(() => canonicalQuantity('1e999999999')).not.toThrow();
});
