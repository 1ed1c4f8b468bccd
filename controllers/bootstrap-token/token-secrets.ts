/** The Secrets of bootstrap tokens, whichever dialect their type is spelled in. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { Handlers } from '../../shared/client/informer/notifications';
import { resourceOf } from '../../shared/client/rest/resource';
import { BOOTSTRAP_TOKEN_TYPE } from '../../shared/names/bootstrap-token';
import type { ControllerContext } from '../runtime/controller';

export const SECRETS = resourceOf('core.v1.Secret');

export class TokenSecrets {
  readonly informers: readonly Informer[];

  constructor({ informers, names }: Pick<ControllerContext, 'informers' | 'names'>) {
    this.informers = Object.values(BOOTSTRAP_TOKEN_TYPE).map((type) =>
      informers.of(SECRETS, { namespace: names.systemNamespace, fieldSelector: `type=${type}` }),
    );
  }

  byKey(key: string): ApiObject | undefined {
    for (const informer of this.informers) {
      const found = informer.byKey(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  list(): readonly ApiObject[] {
    return this.informers.flatMap((informer) => informer.list());
  }

  /** Returns what takes the handlers away again. */
  handle(handlers: Handlers): () => void {
    const removals = this.informers.map((informer) => informer.handle(handlers));
    return () => removals.forEach((remove) => remove());
  }
}
