/**
 * Replays what release 1.31.1 said to good and bad ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Leases and Events, created and put in place
 * of a stored one (core-answers.json, made by test/recordings/core.ts).
 */
import { replayKinds } from '../../../test/support/replay-kinds';
import recorded from './core-answers.json';

replayKinds(recorded);
