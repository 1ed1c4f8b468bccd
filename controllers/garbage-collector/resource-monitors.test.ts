import { silentLogger } from '../../shared/runtime/logger';
import { fakeClient } from '../../test/support/fake-client';
import { Monitors } from './resource-monitors';

test('Monitors stops during the first discovery without waiting for the next one', async () => {
  const { client, clock, random } = fakeClient();
  const verbs = ['delete', 'list', 'watch'];
  const resource = { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', verbs };
  jest.spyOn(client, 'document').mockResolvedValue({ items: [{ versions: [{ version: 'v1', resources: [resource] }] }] });
  const ending = new AbortController();
  const nothing = (): void => undefined;
  const monitors = new Monitors({
    client,
    clock,
    random,
    logger: silentLogger,
    signal: ending.signal,
    trim: (object) => object,
    listener: { put: nothing, remove: nothing, gone: nothing, forget: nothing, settled: nothing },
    onDiscovered: () => ending.abort(),
    onUnsynced: nothing,
  });
  // The clock stands still.
  await monitors.run(nothing);
});
