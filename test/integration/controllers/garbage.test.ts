/** What becomes of objects when those that own them go, as the reference's collector does it. */
import type { Observed } from '../../replay/scenarios/scenario';
import { isBody, type Body, type Json } from '../../replay/reference';
import { replayControllers } from '../../support/replay-controllers';

/** The secret with this name is being deleted, and waits for its finalizers. */
function going({ secrets = [], ...others }: Observed, name: string): Observed {
  const mark = (secret: Json): Json => {
    const metadata = isBody(secret) ? secret['metadata'] : undefined;
    if (!isBody(secret) || !isBody(metadata) || metadata['name'] !== name) return secret;
    const marked: Body = { deletionGracePeriodSeconds: 0, deletionTimestamp: '<time>', ...metadata };
    return { ...secret, metadata: marked };
  };
  return { ...others, secrets: secrets.map(mark) };
}

const deviations = {
  // A child that comes while its owner waits goes at once; with the reference it stays until another child has gone, or for ever.
  'gc-added-while-waiting: another child comes, and one that has been there': (recorded: Observed) => going(recorded, 'late'),
};

// An end that is looked at while one of its two owners is being told to go has one that stays, and leaves the other: with one worker the owners are told first.
const controllerArgs = ['--concurrent-gc-syncs=1'];

describe('built-in kinds', () => replayControllers('garbage', { deviations, controllerArgs }));

describe('custom kinds', () => replayControllers('custom-garbage'));

/** Without what bears one of these names. */
const gone =
  (...names: readonly string[]) =>
  (recorded: Observed): Observed =>
    Object.fromEntries(Object.entries(recorded).map(([path, items]) => [path, items.filter((item) => !names.includes(nameOf(item)))]));

const nameOf = (item: Json): string => {
  const metadata = isBody(item) && isBody(item['metadata']) ? item['metadata'] : {};
  return JSON.stringify(metadata['name'] ?? '').slice(1, -1);
};

/** What it has been converted to before is remembered: it needs no webhook to be read and to go. */
const withoutRemembered = gone('of-map');

const converted = {
  'gc-converted-owners: the webhook is cut off, and the owners go': withoutRemembered,
  'gc-converted-owners: it talks nonsense': withoutRemembered,
  // All objects of a definition go with it, whether their going could be told or not; with the reference their children stay.
  'gc-converted-definition: the held one is let go': gone('of-t', 'of-held'),
};

describe('custom kinds that a webhook converts', () => replayControllers('converted-garbage', { deviations: converted }));

/** Go's HTTP client adds what it was waiting for when the time was up. */
const withoutGoSuffix = (recorded: Observed): Observed =>
  JSON.parse(JSON.stringify(recorded).replace(' (Client.Timeout exceeded while awaiting headers)', ''));

const outages = {
  'gc-hung-owners: the webhook never answers, and the owners go': withoutRemembered,
  'gc-refused-owners: the webhook is not there, and the owners go': withoutRemembered,
  'gc-hung-namespace: the namespace goes': withoutGoSuffix,
  // As above: all objects of a definition are deleted with it, and their children after them.
  'gc-hung-definition: the held one is let go': gone('of-t', 'of-held'),
  'gc-refused-definition: the held one is let go': gone('of-t', 'of-held'),
};

describe('custom kinds whose webhook never answers, or is not there', () =>
  replayControllers('converted-outages', { deviations: outages }));
