/** The interface between the store contract tests and the implementation under test. */
import type { Store } from '../store';

export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. */
  restart(): Promise<Store>;
  /** Advances the store's time by at least `seconds`: by hand where the clock is injected, by waiting elsewhere. */
  advance(seconds: number): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

export interface StoreFactory {
  /** Creates a new, empty store. */
  create(): Promise<StoreUnderTest>;
}

/** What each test gets: a shared store and a fresh key prefix. */
export interface StoreTestContext {
  store(): Store;
  underTest(): StoreUnderTest;
  prefix(): string;
  readonly factory: StoreFactory;
}
