/** The contract between the subjects of growth and the program that measures them. */

/** How the cost of an operation may depend on the size: the bound of its exponent. */
export const GROWTH_BOUNDS = { constant: 0.1, linear: 1.1 } as const;

export type Growth = keyof typeof GROWTH_BOUNDS;

/** What is measured at each size. */
export interface Operation {
  readonly name: string;
  readonly growth: Growth;
  /** The cost in microseconds of CPU at the present size. Called several times. */
  measure(): Promise<number>;
}

/** A subject with a running server. */
export interface OpenedSubject {
  /** Adds the items from number `from` until before number `to`, and waits until their effects are complete. */
  add(from: number, to: number): Promise<void>;
  /** The process that pays for the additions. */
  readonly pid: number;
  readonly operations: readonly Operation[];
  /** Bytes in use by the process, after a collection. */
  liveBytes(): Promise<number>;
  close(): Promise<void>;
}

/** A number of items that grows. */
export interface Subject {
  readonly name: string;
  /** The smallest size; the largest is 32 times as large. */
  readonly size: number;
  /** What one item is, for the cost of adding one. */
  readonly item: string;
  /** Starts its server without items. The caller closes the result. */
  open(): Promise<OpenedSubject>;
}
