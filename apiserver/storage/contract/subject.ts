/** What the store contract is told about an implementation, and what its tests are handed. */
import type { Store } from '../store';

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
