/** Whether what nodes need is looked after at all. That it is read as it should be is tested where nodes are let in. */
import { KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { ManualClock, settle } from '../../../test/support/manual-clock';
import { buildResources } from '../../registry/resources';
import { followNodeObjects } from './node-authorizer-informer';

it.each([
  [true, ['pods', 'persistentvolumes', 'volumeattachments.storage.platform.io']],
  [false, []],
])('follows pods and volumes where somebody decides by them: %p', async (isAsked, expected) => {
  const followed: string[] = [];
  const cache = {
    whenReady: () => Promise.resolve(),
    watch({ name }: { readonly name: string }) {
      followed.push(name);
      return { close: () => undefined, bookmarkNow: () => undefined };
    },
  };
  const resources = buildResources(SERVED_KINDS, KINDS);
  const objects = followNodeObjects(isAsked, { cache, resources, clock: new ManualClock(), failed: () => undefined });
  await settle();
  expect(followed).toEqual(expected);
  if (!isAsked) await objects.complete;
  objects.stop();
});
