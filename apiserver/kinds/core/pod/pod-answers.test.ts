/** Replays recorded responses to Pods, valid and invalid. */
import { listRecordings } from '../../../../test/replay/recording';
import { replayKindCases } from '../../../../test/replay/formats/replay-kind-cases';

replayKindCases(listRecordings('pod'));
