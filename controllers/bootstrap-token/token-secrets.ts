/** The Secrets of bootstrap tokens. Combines one informer for each dialect of their type. */
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import type { Handlers } from '../../shared/client/informer/notifications';
import { resourceOf } from '../../shared/client/rest/resource';
import { BOOTSTRAP_TOKEN_SECRET_TYPE } from '../../shared/names/bootstrap-token';
import type { ControllerContext } from '../runtime/controller';
import type { TokenSecret } from './bootstrap-token';

export const SECRETS = resourceOf('core.v1.Secret');

/** Reads the Secrets in the system namespace from the informers of both types. */
export class TokenSecrets {
  /** Those that must have synced before the Secrets are read. */
  readonly informers: readonly Informer<CoreV1Secret>[];

  constructor({ informers, names }: Pick<ControllerContext, 'informers' | 'names'>) {
    this.informers = Object.values(BOOTSTRAP_TOKEN_SECRET_TYPE).map((type) =>
      informers.of(SECRETS, { namespace: names.systemNamespace, fieldSelector: `type=${type}` }),
    );
  }

  byKey(key: string): TokenSecret | undefined {
    for (const informer of this.informers) {
      const secret = informer.byKey(key);
      if (secret !== undefined) return secret;
    }
    return undefined;
  }

  list(): readonly TokenSecret[] {
    return this.informers.flatMap((informer) => informer.list());
  }

  /** Returns a function that removes the handlers. */
  handle(handlers: Handlers<CoreV1Secret>): () => void {
    const removals = this.informers.map((informer) => informer.handle(handlers));
    return () => removals.forEach((remove) => remove());
  }
}
