/**
 * The contract of `Store` as tests, which every implementation runs. Tests share one store and write only below their
 * own key prefix, so revisions are compared with each other, not with numbers; tests that need a store of their own
 * (first revision, restart, compaction) create one.
 */
import { describeCompaction } from './compaction';
import { describeLeases } from './leases';
import { describeRanges } from './ranges';
import type { StoreTestContext, StoreUnderTest, StoreFactory } from './store-test-context';
import { describeTransactions } from './transactions';
import { describeWatches } from './watches';

/** Defines the whole contract as one suite. `name` appears in the titles of its tests. */
export function describeStore(name: string, factory: StoreFactory): void {
  describe(`the store contract on ${name}`, () => {
    let underTest: StoreUnderTest | undefined;
    let serial = 0;
    const requireUnderTest = (): StoreUnderTest => {
      if (underTest === undefined) throw new Error('the store was not created');
      return underTest;
    };
    const context: StoreTestContext = {
      underTest: requireUnderTest,
      store: () => requireUnderTest().store,
      prefix: () => `/contract/${serial}/`,
      factory,
    };
    beforeAll(async () => {
      underTest = await factory.create();
    }, 120_000);
    beforeEach(() => void serial++);
    afterAll(() => underTest?.dispose());

    describeTransactions(context);
    describeRanges(context);
    describeWatches(context);
    describeCompaction(context);
    describeLeases(context);
  });
}
