/** Replays recorded responses to Pods, valid and invalid. */
import { listRecordings } from '../../../../test/replay/recording';
import { replayKindCases } from '../../../../test/replay/replay-kind-cases';

replayKindCases(listRecordings('pod'));
