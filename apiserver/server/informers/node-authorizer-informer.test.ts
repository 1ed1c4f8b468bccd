/** Covers which resources are watched. The content of the graph is tested with the Node authorizer. */
import { STORED_KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { buildResources } from '../../registry/resources';
import { startNodeAuthorizerInformer } from './node-authorizer-informer';

it.each([
  ['pods and volumes when the Node authorizer is enabled', true, ['pods', 'persistentvolumes', 'volumeattachments.storage.platform.io']],
  ['nothing when the Node authorizer is disabled', false, []],
])('startNodeAuthorizerInformer watches %s', async (_title, isNeeded, expected) => {
  const followed: string[] = [];
  const cache = {
    whenReady: () => Promise.resolve(),
    watch({ name }: { readonly name: string }) {
      followed.push(name);
      return { close: () => undefined, sendBookmark: () => undefined };
    },
  };
  const resources = buildResources(SERVED_KINDS, STORED_KINDS);
  const objects = startNodeAuthorizerInformer({ isNeeded, cache, resources, clock: new ManualClock(), onFailure: () => undefined });
  await flushPromises();
  expect(followed).toEqual(expected);
  // Without watches there is nothing to wait for.
  if (!isNeeded) await objects.complete;
  objects.stop();
});
