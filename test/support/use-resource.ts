/**
 * Resources that tests share: started before the tests of a file or block and stopped after them in reverse order, so
 * that each may use those that were declared before it.
 */
import { removeFolder, temporaryFolder } from './programs';

/**
 * Functions that stop the started resources, the newest last. Jest runs hooks in the order of their declaration, so
 * each hook stops the newest resource instead of its own.
 */
const stops: (() => unknown)[] = [];

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
  let started: { readonly resource: T } | undefined;
  const resource = (): T => {
    if (started === undefined) throw new Error('the resource has not been started');
    return started.resource;
  };
  registerHooks(
    async () => (started = { resource: await start() }),
    () => stop(resource()),
    timeoutMs,
  );
  return resource;
}

/** Like {@link useResource} for a resource with `close`, such as a server. */
export const useClosable = <T extends { close(): unknown }>(start: () => T | Promise<T>, timeoutMs?: number): (() => T) =>
  useResource(start, (resource) => resource.close(), timeoutMs);

/** A temporary folder. */
export function useFolder(name: string): string {
  const folder = temporaryFolder(name);
  registerHooks(
    () => undefined,
    () => removeFolder(folder),
  );
  return folder;
}
