/**
 * Replays what release 1.31.1 said to good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies, created and put in
 * place of a stored one (networking-answers.json, made by test/recordings/networking.ts).
 */
import { replayKinds } from '../../../test/support/replay-kinds';
import recorded from './networking-answers.json';

replayKinds(recorded);
