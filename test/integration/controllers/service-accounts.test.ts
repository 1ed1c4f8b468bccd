/** Default ServiceAccounts and root certificates of namespaces, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

describe('account controllers match the recording with paged lists', () => replayControllers('service-accounts'));

describe('account controllers match the recording with streaming lists', () =>
  replayControllers('service-accounts', { serverArgs: ['--feature-gates=WatchList=true'] }));

describe('account controllers match the recording with protobuf', () =>
  replayControllers('service-accounts', { controllerArgs: ['--kube-api-content-type=application/vnd.kubernetes.protobuf'] }));
