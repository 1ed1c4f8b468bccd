/**
 * Replays recorded responses to RBAC, quota, storage, scheduling, certificate, flow control and admission registration
 * objects, valid and invalid.
 */
import { listRecordings } from '../../test/replay/recording';
import { replayKindCases } from '../../test/replay/formats/replay-kind-cases';

replayKindCases(listRecordings('governance'));
