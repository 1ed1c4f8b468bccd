/** What is used of the package, which comes without types. */
declare module 'fs-native-extensions' {
  /** Locks a whole open file for its descriptor alone; false when another one has it, in this process or any other. */
  export function tryLock(file: number): boolean;
}
