/**
 * ServiceAccount strategy: references to secrets keep only the name, because a ServiceAccount may use only Secrets of
 * its own namespace. Tokens are issued by `reviews/token-request.ts`.
 */
import type { CoreV1ServiceAccount } from '../../../../shared/api/types/generated/members';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

export const serviceAccount: Strategy<CoreV1ServiceAccount> = {
  prepareForCreate: keepOnlySecretNames,
  update: { prepareForUpdate: keepOnlySecretNames, stages: UPDATE.changeThenObject },
};

function keepOnlySecretNames(object: CoreV1ServiceAccount): void {
  if (object.secrets === undefined) return;
  object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
