/**
 * Replays what release 1.31.1 said to good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies, created and put in
 * place of a stored one (recorded by test/replay/networking.ts).
 */
import { recordingsIn } from '../../../test/replay/recording';
import { replayKinds } from '../../../test/support/replay-kinds';

replayKinds(recordingsIn('networking'));
