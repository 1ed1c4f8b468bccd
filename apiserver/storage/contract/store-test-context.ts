/**
 * What the contract tests of stores need from an implementation: stores that are created empty, restarted, and moved in
 * time.
 */
import type { Store } from '../store';

/** One store and what the tests do to it besides calling it. */
export interface StoreUnderTest {
  /** The store as created; `restart` returns the one to use afterwards. */
  readonly store: Store;
  /** Closes the store and opens it again on the same data. */
  restart(): Promise<Store>;
  /** Advances the store's time by at least `seconds`: by hand where the clock is injected, by waiting elsewhere. */
  advance(seconds: number): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** Creates stores of one implementation. */
export interface StoreFactory {
  /** Creates a new, empty store. */
  create(): Promise<StoreUnderTest>;
}

/** What each test gets: a shared store and a fresh key prefix. */
export interface StoreTestContext {
  /** The store that the tests of a file share. */
  store(): Store;
  /** The shared store with its controls; a test that restarts it leaves it usable. */
  underTest(): StoreUnderTest;
  /** A key prefix that no other test uses. */
  prefix(): string;
  /** Creates stores for tests that need one of their own; they dispose of them. */
  readonly factory: StoreFactory;
}
