/** Garbage collection of objects with deleted owners, compared with upstream. */
import type { ObservedState } from '../../replay/scenarios/scenario';
import { isBody } from '../../replay/json-response';
import { changeNamed, replaceText, withoutNamed } from '../../support/scenarios/observed-state';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** Marks the secret with the given name as being deleted and held by its finalizers. */
const withDeletedSecret = (state: ObservedState, name: string): ObservedState =>
  changeNamed(state, { name, collection: 'secrets' }, (secret) => {
    const metadata = isBody(secret['metadata']) ? secret['metadata'] : {};
    return { ...secret, metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: '<time>', ...metadata } };
  });

const deviations = {
  // A child that is created while its owner waits is deleted at once; with upstream it stays until another child
  // is deleted, or forever.
  'gc-added-while-waiting: another child comes, and one that has been there': (recorded: ObservedState) =>
    withDeletedSecret(recorded, 'late'),
};

// With one worker both owners of an object are deleted before the object is processed; otherwise it may drop one owner
// reference and keep the other.
const controllerArgs = ['--concurrent-gc-syncs=1'];

describe('garbage collection of built-in kinds matches the recording', () => replayControllers('garbage', { deviations, controllerArgs }));

describe('garbage collection of custom kinds matches the recording', () => replayControllers('custom-garbage'));

const withoutObjects =
  (...names: readonly string[]) =>
  (recorded: ObservedState): ObservedState =>
    withoutNamed(recorded, names);

/** Earlier conversions are cached, so this object is read and deleted without the webhook. */
const withoutCachedObject = withoutObjects('of-map');

const conversionDeviations = {
  'gc-converted-owners: the webhook is cut off, and the owners go': withoutCachedObject,
  'gc-converted-owners: it talks nonsense': withoutCachedObject,
  // The objects of a definition are deleted with it, whether or not the collector can see that, and their children
  // after them; with upstream the children stay.
  'gc-converted-definition: the held one is let go': withoutObjects('of-t', 'of-held'),
};

describe('garbage collection of custom kinds with a conversion webhook matches the recording', () =>
  replayControllers('converted-garbage', { deviations: conversionDeviations }));

/** Removes what Go's HTTP client adds to the error of a timeout. */
const withoutGoSuffix = (recorded: ObservedState): ObservedState =>
  replaceText(recorded, ' (Client.Timeout exceeded while awaiting headers)', '');

const outageDeviations = {
  'gc-hung-owners: the webhook never answers, and the owners go': withoutCachedObject,
  'gc-refused-owners: the webhook is not there, and the owners go': withoutCachedObject,
  'gc-hung-namespace: the namespace goes': withoutGoSuffix,
  // As above: all objects of a definition are deleted with it, and their children after them.
  'gc-hung-definition: the held one is let go': withoutObjects('of-t', 'of-held'),
  'gc-refused-definition: the held one is let go': withoutObjects('of-t', 'of-held'),
};

describe('garbage collection of custom kinds whose conversion webhook hangs or refuses connections matches the recording', () =>
  replayControllers('converted-outages', { deviations: outageDeviations }));
