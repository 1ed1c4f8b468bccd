/**
 * Resources of tests: started before the tests of a file or block, or before each, and stopped after them in reverse
 * order, so that each may use those that were declared before it.
 */
import { removeFolder, temporaryFolder } from './programs';

/**
 * Functions that stop the started resources, the newest last. Jest runs hooks in the order of their declaration, so
 * each hook stops the newest resource instead of its own.
 */
const stops: (() => unknown)[] = [];

/** `stop` is called only when `start` has succeeded. Without `timeoutMs` the hooks have the time limit of Jest. */
function registerHooks(start: () => unknown, stop: () => unknown, timeoutMs?: number): void {
  beforeAll(async () => {
    let isStarted = false;
    stops.push(() => (isStarted ? stop() : undefined));
    await start();
    isStarted = true;
  }, timeoutMs);
  afterAll(async () => {
    await stops.pop()?.();
  }, timeoutMs);
}

/** Returns a function that gives the resource to the tests; it throws before the resource is started. */
export function useResource<T>(start: () => T | Promise<T>, stop: (resource: T) => unknown = () => undefined, timeoutMs?: number): () => T {
  const started: T[] = [];
  registerHooks(
    async () => void (started[0] = await start()),
    () => stop(onlyResource(started)),
    timeoutMs,
  );
  return () => onlyResource(started);
}

/** The resource in a list that is empty before the resource is started; a list, because the resource itself may be `undefined`. */
function onlyResource<T>(started: readonly T[]): T {
  for (const resource of started) return resource;
  throw new Error('the resource has not been started');
}

/** Functions that stop the resources of the current test, the newest last. */
const testStops: (() => unknown)[] = [];

/** Like {@link useResource} with a new resource for each test. */
export function useForEachTest<T>(
  start: () => T | Promise<T>,
  stop: (resource: T) => unknown = () => undefined,
  timeoutMs?: number,
): () => T {
  const started: T[] = [];
  beforeEach(async () => {
    const resource = await start();
    started[0] = resource;
    testStops.push(() => stop(resource));
  }, timeoutMs);
  afterEach(async () => {
    await testStops.pop()?.();
  }, timeoutMs);
  return () => onlyResource(started);
}

/** Returns a function for resources that a test opens itself: those passed to it are stopped after the test. */
export function stopAfterTest<T>(stop: (resource: T) => unknown, timeoutMs?: number): (resource: T) => T {
  const opened: T[] = [];
  afterEach(async () => {
    for (const resource of opened.splice(0).reverse()) await stop(resource);
  }, timeoutMs);
  return (resource) => {
    opened.push(resource);
    return resource;
  };
}

/** Like {@link useResource} for a resource with `close`, such as a server. */
export const useClosable = <T extends { close(): unknown }>(start: () => T | Promise<T>, timeoutMs?: number): (() => T) =>
  useResource(start, (resource) => resource.close(), timeoutMs);

/** A temporary folder, which exists at once and is removed after the tests. */
export function useFolder(name: string): string {
  const folder = temporaryFolder(name);
  registerHooks(
    () => undefined,
    () => removeFolder(folder),
  );
  return folder;
}
