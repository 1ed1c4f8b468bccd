import { silentLogger } from '../../shared/runtime/logger';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { ResourceMonitors } from './resource-monitors';

test('ResourceMonitors stops during the first discovery without waiting for the next one', async () => {
  const { client, clock, random } = fakeClient();
  const verbs = ['delete', 'list', 'watch'];
  const resource = { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', verbs };
  jest.spyOn(client, 'getDocument').mockResolvedValue({ items: [{ versions: [{ version: 'v1', resources: [resource] }] }] });
  const abort = new AbortController();
  const ignore = (): void => undefined;
  const monitors = new ResourceMonitors({
    client,
    clock,
    random,
    logger: silentLogger,
    signal: abort.signal,
    trim: (object) => object,
    listener: { put: ignore, remove: ignore, resourceDeleted: ignore, forgetResource: ignore, synced: ignore },
    onDiscovered: () => abort.abort(),
    onSyncTimeout: ignore,
  });
  // The manual clock does not advance, so a wait would never end.
  await monitors.run(ignore);
});
