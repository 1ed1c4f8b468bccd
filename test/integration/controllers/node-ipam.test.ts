/** Pod CIDRs of nodes, compared with upstream. */
import { changeNamed } from '../../support/scenarios/observed-state';
import { replayControllers, type ReplayOptions } from '../../support/scenarios/replay-controllers';

const CONTROLLERS = '--controllers=-*,nodeipam,namespace,serviceaccount';

/** Upstream assigns a CIDR again when one of two nodes that have it is deleted. */
const deviations: NonNullable<ReplayOptions['deviations']> = {
  'ipam-shared: two new nodes': (recorded) =>
    changeNamed(recorded, { name: '$NS-d', collection: '/api/v1/nodes' }, (node) =>
      JSON.parse(JSON.stringify(node).replaceAll('10.200.0.0/24', '10.200.2.0/24')),
    ),
};

describe('pod CIDRs of nodes match the recording', () =>
  replayControllers('node-ipam', {
    controllerArgs: [CONTROLLERS, '--allocate-node-cidrs', '--cluster-cidr=10.200.0.0/22', '--service-cluster-ip-range=10.200.1.0/24'],
    deviations,
  }));

describe('pod CIDRs of both families match the recording', () =>
  replayControllers('node-ipam-dual', {
    controllerArgs: [
      CONTROLLERS,
      '--allocate-node-cidrs',
      '--cluster-cidr=10.201.0.0/24,fd00:201::/64',
      '--node-cidr-mask-size-ipv4=26',
      '--node-cidr-mask-size-ipv6=66',
      '--service-cluster-ip-range=10.96.0.0/16',
    ],
  }));
