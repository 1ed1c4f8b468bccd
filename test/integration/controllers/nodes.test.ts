/** Nodes, their taints and the pods on them, compared with upstream, with the short periods of the recording. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

const controllerArgs = [
  '--controllers=-*,nodelifecycle,taint-eviction,ttl,serviceaccount,namespace',
  '--node-monitor-period=500ms',
  '--node-monitor-grace-period=4s',
  '--node-startup-grace-period=6s',
  '--node-eviction-rate=5',
  '--secondary-node-eviction-rate=2',
];

describe('node controllers match the recording', () => replayControllers('nodes', { controllerArgs }));

describe('node controllers match the recording when no node reports any more', () =>
  replayControllers('node-blackout', { controllerArgs }));
