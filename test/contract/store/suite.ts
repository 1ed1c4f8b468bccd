/**
 * The contract of `Store` as tests. Every implementation runs all of them; nothing here knows which one it runs on.
 * Tests share one store and keep to their own key prefix, so revisions are compared with each other, not with numbers;
 * what needs a store of its own (first revision, restart, compaction) asks for one.
 */
import type { Store } from '../../../apiserver/storage/store';
import { compactionTests } from './compaction';
import { leaseTests } from './leases';
import { rangeTests } from './ranges';
import { transactionTests } from './transactions';
import { watchTests } from './watches';

export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. */
  restart(): Promise<Store>;
  /** Moves the store's time on by at least so much: by hand where the clock is injected, by waiting for it elsewhere. */
  pass(seconds: number): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

export interface Subject {
  /** A new, empty store. */
  create(): Promise<StoreUnderTest>;
}

/** A shared store and a fresh key prefix for each test. */
export interface Scene {
  store(): Store;
  under(): StoreUnderTest;
  prefix(): string;
  readonly subject: Subject;
}

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
