/**
 * What a client sends is read in time in proportion to its length. Each text is so long that reading it in the square of its length takes many seconds,
 * and is read in a few milliseconds otherwise; the bound lies far from both.
 */
import { certificateErrors } from '../../../apiserver/registry/strategies/certificate-status';
import { canonicalQuantity, QuantityFault } from '../../../shared/api/schema/quantity';
import { parseDuration } from '../../../shared/runtime/duration';

const MOST_CPU_MS = 1_000;

function cpuOf(run: () => unknown): number {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

const ones = '1'.repeat(150_000);

function quantityFault(text: string): string | undefined {
  try {
    canonicalQuantity(text);
    return undefined;
  } catch (error) {
    if (error instanceof QuantityFault) return error.message;
    throw error;
  }
}

describe('texts', () => {
  it.each<[string, () => unknown]>([
    ['a duration without a unit', () => parseDuration(`${ones}x`)],
    ['a quantity with a wrong suffix', () => quantityFault(`${ones}x`)],
    ['a certificate of beginnings', () => certificateErrors(certificate('-----BEGIN A-----\n'.repeat(50_000)))],
    [
      'a certificate of beginnings of other kinds',
      () => certificateErrors(certificate(Array.from({ length: 50_000 }, (_, n) => `-----BEGIN ${n}-----\n`).join(''))),
    ],
  ])('%s', (_, run) => {
    expect(cpuOf(run)).toBeLessThan(MOST_CPU_MS);
  });
});

const certificate = (text: string): { status: { certificate: string } } => ({
  status: { certificate: Buffer.from(text).toString('base64') },
});
