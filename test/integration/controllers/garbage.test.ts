/** What becomes of objects when those that own them go, as the reference's collector does it. */
import type { Observed } from '../../recordings/scenarios/scenario';
import { isBody, type Body, type Json } from '../../recordings/reference';
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

describe('built-in kinds', () => replayControllers('garbage', { deviations }));

describe('custom kinds', () => replayControllers('custom-garbage'));
