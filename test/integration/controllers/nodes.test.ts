/** Nodes, their taints and the pods on them, as the reference's controllers keep them, with the short times with which they were recorded. */
import { replayControllers } from '../../support/replay-controllers';

const controllerArgs = [
  '--controllers=-*,nodelifecycle,taint-eviction,ttl,serviceaccount,namespace',
  '--node-monitor-period=500ms',
  '--node-monitor-grace-period=4s',
  '--node-startup-grace-period=6s',
  '--node-eviction-rate=5',
  '--secondary-node-eviction-rate=2',
];

describe('nodes among others', () => replayControllers('nodes', { controllerArgs }));

describe('a cluster where nobody is heard of any more', () => replayControllers('node-blackout', { controllerArgs }));
