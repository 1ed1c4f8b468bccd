/** Replays recorded responses to workloads, disruption budgets and autoscalers, valid and invalid. */
import { listRecordings } from '../../test/replay/recording';
import { replayKindCases } from '../../test/replay/formats/replay-kind-cases';

replayKindCases(listRecordings('workloads'));
