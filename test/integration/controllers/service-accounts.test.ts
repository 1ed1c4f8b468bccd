/** Accounts and root certificates of namespaces, as the reference's controllers keep them. */
import { replayControllers } from '../../support/replay-controllers';

describe('on a server that lists in pages', () => replayControllers('service-accounts'));

describe('on a server that lists as streams', () =>
  replayControllers('service-accounts', { serverArgs: ['--feature-gates=WatchList=true'] }));

describe('in the binary form', () =>
  replayControllers('service-accounts', { controllerArgs: ['--kube-api-content-type=application/vnd.kubernetes.protobuf'] }));
