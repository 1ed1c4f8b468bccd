/** What is used of the package, which comes without types. A lock is of the whole file that a descriptor stands for, and of that descriptor alone. */
declare module 'fs-native-extensions' {
  /** False when another descriptor has it, in this process or any other. */
  export function tryLock(file: number): boolean;
  /** Resolves once no other descriptor has it. */
  export function waitForLock(file: number): Promise<void>;
  export function unlock(file: number): void;
}
