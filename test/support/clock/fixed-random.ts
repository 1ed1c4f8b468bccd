/** A deterministic source of randomness: one fixed number, and ids that count up. */
import type { Random } from '../../../shared/runtime/random';

export class FixedRandom implements Random {
  private count = 0;

  constructor(private readonly value = 0) {}

  float(): number {
    return this.value;
  }

  uuid(): string {
    this.count += 1;
    return `00000000-0000-4000-8000-${String(this.count).padStart(12, '0')}`;
  }

  string(length: number, alphabet: string): string {
    this.count += 1;
    return String(this.count)
      .padStart(length, alphabet[0] ?? '0')
      .slice(-length);
  }
}
