/** What tests share: started before the tests of a file or block, and stopped after them. */
import { removeFolder, temporaryFolder } from './programs';

/** Returns a function that gives the resource to the tests; it throws before the resource is started. */
export function useResource<T>(start: () => T | Promise<T>, stop: (resource: T) => unknown, timeoutMs?: number): () => T {
  let started: { readonly resource: T } | undefined;
  const resource = (): T => {
    if (started === undefined) throw new Error('the resource has not been started');
    return started.resource;
  };
  beforeAll(async () => {
    started = { resource: await start() };
  }, timeoutMs);
  afterAll(async () => {
    if (started !== undefined) await stop(started.resource);
  }, timeoutMs);
  return resource;
}

/** As {@link useResource} for what is closed, such as a server. */
export const useClosable = <T extends { close(): unknown }>(start: () => T | Promise<T>, timeoutMs?: number): (() => T) =>
  useResource(start, (resource) => resource.close(), timeoutMs);

/** A temporary folder; it is removed in the order of the hooks, so what uses it until its end is declared before. */
export function useFolder(name: string): string {
  const folder = temporaryFolder(name);
  afterAll(() => removeFolder(folder));
  return folder;
}
