/** Replays the recorded answers to updates and deletions of release 1.31.1: status, warnings and the whole body, ids and times masked. */
import { recordingsIn } from '../../replay/recording';
import { replayRequests } from './replay-requests';
import { comparableAnswer, withDeviation } from '../../support/deviating-steps';

replayRequests(recordingsIn('requests'), { withDeviation, comparable: comparableAnswer });
