/**
 * Fills Secrets that are to hold an account's token, and sees to it that they go with their account. It makes no Secret: who wants a token that lasts makes the
 * Secret himself.
 */
import { writeLegacyClaims } from '../../shared/api/identity/legacy-claims';
import { signToken } from '../../shared/api/identity/signed-token';
import type { TokenKey } from '../../shared/api/identity/token-keys';
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { ObjectStore } from '../../shared/client/informer/object-store';
import { metadataOf, resourceOf, type Resource } from '../../shared/client/rest/resource';
import { aborted } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { accountOf, filled, needOf, withoutReference } from './reconcile';

const SECRETS = resourceOf('core.v1.Secret');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const SPELLINGS = Object.values(GENERATED_NAMES).map(({ prefix }) => prefix);
const CONCURRENCY = 5;
const BY_ACCOUNT = 'account';

export const accountTokensController: Controller = {
  name: 'serviceaccount-token',
  aliases: ['serviceaccount-token-controller'],
  description: 'fills Secrets that are to hold tokens of service accounts, and deletes them with their account',
  isOnByDefault: true,
  // Upstream has no role for it either: it fills what all others may need before they act as accounts.
  account: undefined,
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { accountTokenKey } = context.settings;
  if (accountTokenKey === undefined) {
    context.logger.info('Secrets with tokens are not filled: --service-account-private-key-file names no key');
    await aborted(context.signal);
    return;
  }
  await new AccountTokens(context, accountTokenKey).run();
}

class AccountTokens {
  /** Of both spellings of the type. */
  private readonly secrets = new ObjectStore({ [BY_ACCOUNT]: (secret) => [accountKey(secret)] });
  /** Secrets that are gone, with the name of their account, until it does not name them any more. */
  private readonly gone = new Map<string, string>();

  constructor(
    private readonly context: ControllerContext,
    private readonly signing: () => TokenKey,
  ) {}

  async run(): Promise<void> {
    const { informers, logger, signal, queue, settings } = this.context;
    const [secretQueue, accountQueue] = [queue({ name: 'serviceaccount_tokens_secret' }), queue({ name: 'serviceaccount_tokens_service' })];
    const accounts = informers.of(metadataOf(ACCOUNTS));
    const followed = SPELLINGS.map((prefix) => informers.of(SECRETS, { fieldSelector: `type=${prefix}/service-account-token` }));
    const seen = (secret: ApiObject): void => {
      this.secrets.set(secret);
      this.gone.delete(keyOf(secret));
      secretQueue.add(keyOf(secret));
    };
    const lost = (secret: ApiObject): void => {
      this.secrets.remove(keyOf(secret));
      this.gone.set(keyOf(secret), accountOf(secret, SPELLINGS));
      secretQueue.add(keyOf(secret));
    };
    const unhandle = [
      ...followed.map((informer) => informer.handle({ added: seen, updated: (_, secret) => seen(secret), deleted: lost })),
      accounts.handle({
        updated: (previous, account) => void (previous.uid === account.uid || accountQueue.add(keyOf(account))),
        deleted: (account) => accountQueue.add(keyOf(account)),
      }),
      // The certificate stands beside the token.
      settings.rootCertificate.onChange(() => {
        for (const key of this.secrets.keys()) secretQueue.add(key);
      }),
    ];
    const known = (namespace: string, name: string): string | undefined => accounts.get(namespace, name)?.uid;
    const common = { concurrency: CONCURRENCY, logger, signal };
    if (await waitForSync([accounts, ...followed], signal)) {
      await Promise.all([
        runWorkers({ ...common, queue: secretQueue, work: (key) => this.look(key, known) }),
        runWorkers({
          ...common,
          queue: accountQueue,
          work: (account) => {
            for (const secret of this.secrets.byIndex(BY_ACCOUNT, account)) secretQueue.add(keyOf(secret));
            return Promise.resolve(DONE);
          },
        }),
      ]);
    }
    for (const remove of unhandle) remove();
  }

  private async look(key: string, known: (namespace: string, name: string) => string | undefined): Promise<WorkOutcome> {
    const secret = this.secrets.get(key);
    if (secret === undefined) return this.release(key);
    const { client, logger, settings, signal } = this.context;
    const { namespace, name } = secret;
    const account = accountOf(secret, SPELLINGS);
    const needed = (uid: string | undefined) => needOf(secret, uid, settings.rootCertificate.current(), SPELLINGS);
    let uid = known(namespace, account);
    // The account may have come after what is known of it, and nothing is deleted by hearsay.
    if (needed(uid).type === 'delete') uid = (await this.find(ACCOUNTS, namespace, account))?.uid;
    const need = needed(uid);
    switch (need.type) {
      case 'none':
        break;
      case 'stuck':
        logger.warn('a Secret cannot be given its token: it is immutable', { namespace, name });
        break;
      case 'delete':
        logger.info('a Secret with a token is deleted', { namespace, name, account, reason: need.why });
        await client.delete(SECRETS, { namespace, name }, { preconditions: { uid: secret.uid }, signal }).catch(unlessGone);
        break;
      case 'fill': {
        const owner = { name: account, uid: uid ?? '' };
        const token = need.needsToken ? await this.tokenFor(secret, owner) : undefined;
        await client.update(SECRETS, filled(secret, owner, settings.rootCertificate.current(), token), { signal }).catch(unlessMissing);
        break;
      }
    }
    return DONE;
  }

  private tokenFor({ namespace, name }: ApiObject, account: { readonly name: string; readonly uid: string }): Promise<string> {
    return signToken(writeLegacyClaims({ namespace, account, secret: name }, this.context.names), this.signing());
  }

  /** An account does not name a Secret that is gone. */
  private async release(key: string): Promise<WorkOutcome> {
    const account = this.gone.get(key);
    if (account === undefined) return DONE;
    const { client, signal } = this.context;
    const [namespace = '', name = ''] = key.split('/');
    const found = await this.find(ACCOUNTS, namespace, account);
    const changed = found === undefined ? undefined : withoutReference(found, name);
    // There may be one of the same name again, which nobody has heard of yet.
    if (changed !== undefined && (await this.find(SECRETS, namespace, name)) === undefined)
      await client.update(ACCOUNTS, changed, { signal }).catch(unlessMissing);
    this.gone.delete(key);
    return DONE;
  }

  private async find(resource: Resource, namespace: string, name: string): Promise<ApiObject | undefined> {
    const { client, signal } = this.context;
    try {
      return await client.get(resource, { namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

const accountKey = (secret: ApiObject): string => `${secret.namespace}/${accountOf(secret, SPELLINGS)}`;

/** Another one of the same name is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

/** What is gone is told by its own event. */
function unlessMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
