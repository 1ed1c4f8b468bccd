/** What is used of the package, which comes without types. A lock is of a range of the file that a descriptor stands for (length 0: to its end), and of that descriptor alone. */
declare module 'fs-native-extensions' {
  /** False when another descriptor has it, in this process or any other. */
  export function tryLock(file: number, offset?: number, length?: number): boolean;
  /** Resolves once no other descriptor has it. */
  export function waitForLock(file: number, offset?: number, length?: number): Promise<void>;
  export function unlock(file: number, offset?: number, length?: number): void;
}
