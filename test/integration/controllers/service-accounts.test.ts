/** Accounts and root certificates of namespaces, as the reference's controllers keep them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('service-accounts');
