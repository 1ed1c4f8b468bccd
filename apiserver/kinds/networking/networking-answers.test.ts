/**
 * Replays recorded responses to Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies, valid and
 * invalid.
 */
import { listRecordings } from '../../../test/replay/recording';
import { replayKindCases } from '../../../test/replay/formats/replay-kind-cases';

replayKindCases(listRecordings('networking'));
