/**
 * Replays what release 1.31.1 said to good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies, created and put in
 * place of a stored one (made by test/recordings/networking.ts).
 */
import { recordedAnswers } from '../../../test/recordings/answers';
import { replayKinds } from '../../../test/support/replay-kinds';

replayKinds(recordedAnswers('networking/kinds'));
