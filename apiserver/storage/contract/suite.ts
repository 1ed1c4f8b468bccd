/**
 * The contract of `Store` as tests. Every implementation runs all of them; nothing here knows which one it runs on.
 * Tests share one store and keep to their own key prefix, so revisions are compared with each other, not with numbers;
 * what needs a store of its own (first revision, restart, compaction) asks for one.
 */
import { compactionTests } from './compaction';
import { leaseTests } from './leases';
import { rangeTests } from './ranges';
import type { Scene, StoreUnderTest, Subject } from './subject';
import { transactionTests } from './transactions';
import { watchTests } from './watches';

export function describeStore(name: string, subject: Subject): void {
  describe(`the store contract on ${name}`, () => {
    let under: StoreUnderTest | undefined;
    let serial = 0;
    const existing = (): StoreUnderTest => {
      if (under === undefined) throw new Error('the store was not created');
      return under;
    };
    const scene: Scene = { under: existing, store: () => existing().store, prefix: () => `/contract/${serial}/`, subject };
    beforeAll(async () => {
      under = await subject.create();
    }, 120_000);
    beforeEach(() => void serial++);
    afterAll(() => under?.dispose());

    transactionTests(scene);
    rangeTests(scene);
    watchTests(scene);
    compactionTests(scene);
    leaseTests(scene);
  });
}
