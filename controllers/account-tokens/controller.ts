/**
 * ServiceAccount tokens controller: writes the token, the namespace and the root certificate to the Secrets of type
 * service-account-token that clients create, deletes those without their ServiceAccount, and removes references to
 * deleted Secrets from ServiceAccounts. Before a deletion the ServiceAccount is read from the API server, because the
 * informer may be behind. Unlike upstream's controller it reads the type of Secrets in both dialects, and follows the
 * files of the key and certificate.
 */
import { writeLegacyClaims } from '../../shared/api/identity/legacy-claims';
import { signToken } from '../../shared/api/identity/signed-token';
import type { TokenKey } from '../../shared/api/identity/token-keys';
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import { ignoreNotFound, ignoreNotFoundOrConflict, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { ObjectStore } from '../../shared/client/informer/object-store';
import { metadataOf, resourceOf, type Resource } from '../../shared/client/rest/resource';
import { waitForAbort } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { accountNameOf, populatedSecret, reconcileSecret, withoutSecretReference } from './reconcile';
import type { Secret } from '../../shared/client/rest/typed-objects';

const SECRETS = resourceOf('core.v1.Secret');
const SERVICE_ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const PREFIXES = Object.values(GENERATED_NAMES).map(({ prefix }) => prefix);
/** Accounts and Secrets synced at the same time; upstream's default of `--concurrent-serviceaccount-token-syncs`. */
const CONCURRENCY = 5;
const BY_ACCOUNT = 'account';

export const accountTokensController: Controller = {
  name: 'serviceaccount-token',
  aliases: ['serviceaccount-token-controller'],
  description: 'writes ServiceAccount tokens to Secrets, and deletes the Secrets of deleted ServiceAccounts',
  isOnByDefault: true,
  // As in upstream, it has no role: it creates the tokens that other controllers may need before they use their own
  // ServiceAccounts.
  account: undefined,
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { accountTokenKey } = context.settings;
  if (accountTokenKey === undefined) {
    context.logger.info('Secrets get no tokens: --service-account-private-key-file is not set');
    await waitForAbort(context.signal);
    return;
  }
  await new TokensController(context, accountTokenKey).run();
}

/** Runs once, for the time during which this process leads. The next time has a new instance. */
class TokensController {
  /** The Secrets of the type in either dialect. */
  private readonly secrets = new ObjectStore<CoreV1Secret>({ [BY_ACCOUNT]: (secret) => [accountKeyOf(secret)] });
  /** Account names of deleted Secrets, by the Secret's key, until the account has no reference to the Secret. */
  private readonly deletedSecrets = new Map<string, string>();

  constructor(
    private readonly context: ControllerContext,
    private readonly signingKey: () => TokenKey,
  ) {}

  async run(): Promise<void> {
    const { informers, logger, signal, queue, settings } = this.context;
    const secretQueue = queue({ name: 'serviceaccount_tokens_secret' });
    const accountQueue = queue({ name: 'serviceaccount_tokens_service' });
    const accounts = informers.of(metadataOf(SERVICE_ACCOUNTS));
    const secretInformers = PREFIXES.map((prefix) => informers.of(SECRETS, { fieldSelector: `type=${prefix}/service-account-token` }));
    const setSecret = (secret: Secret): void => {
      this.secrets.set(secret);
      this.deletedSecrets.delete(keyOf(secret));
      secretQueue.add(keyOf(secret));
    };
    const deleteSecret = (secret: Secret): void => {
      this.secrets.remove(keyOf(secret));
      this.deletedSecrets.set(keyOf(secret), accountNameOf(secret, PREFIXES));
      secretQueue.add(keyOf(secret));
    };
    const removeHandlers = [
      ...secretInformers.map((informer) =>
        informer.handle({ added: setSecret, updated: (_, secret) => setSecret(secret), deleted: deleteSecret }),
      ),
      accounts.handle({
        // The informer shows a ServiceAccount that was deleted and created again as an update with another uid.
        updated: (previous, account) => {
          if (previous.uid !== account.uid) accountQueue.add(keyOf(account));
        },
        deleted: (account) => accountQueue.add(keyOf(account)),
      }),
      settings.rootCertificate.onChange(() => {
        for (const key of this.secrets.keys()) secretQueue.add(key);
      }),
    ];
    const accountUid = (namespace: string, name: string): string | undefined => accounts.get(namespace, name)?.uid;
    const options = { concurrency: CONCURRENCY, logger, signal };
    if (await waitForSync([accounts, ...secretInformers], signal)) {
      await Promise.all([
        runWorkers({ ...options, queue: secretQueue, work: (key) => this.syncSecret(key, accountUid) }),
        runWorkers({
          ...options,
          queue: accountQueue,
          work: (account) => {
            for (const secret of this.secrets.byIndex(BY_ACCOUNT, account)) secretQueue.add(keyOf(secret));
            return Promise.resolve(DONE);
          },
        }),
      ]);
    }
    for (const removeHandler of removeHandlers) removeHandler();
  }

  /**
   * A ServiceAccount that is deleted, also when it is created again at once, enqueues its Secrets; a change of the root
   * certificate enqueues all Secrets. `accountUid` returns the uid of a ServiceAccount, as the informer shows it.
   */
  private async syncSecret(key: string, accountUid: (namespace: string, name: string) => string | undefined): Promise<WorkOutcome> {
    const secret = this.secrets.get(key);
    if (secret === undefined) return this.removeReference(key);
    const { client, logger, settings, signal } = this.context;
    const { namespace, name } = secret;
    const accountName = accountNameOf(secret, PREFIXES);
    const reconcile = (observedUid: string | undefined) =>
      reconcileSecret(secret, { accountUid: observedUid, rootCertificate: settings.rootCertificate.current() }, PREFIXES);
    let uid = accountUid(namespace, accountName);
    if (reconcile(uid).type === 'delete') uid = (await this.getIfExists(SERVICE_ACCOUNTS, namespace, accountName))?.uid;
    const action = reconcile(uid);
    switch (action.type) {
      case 'none':
        break;
      case 'immutable':
        logger.warn('a Secret cannot get its token: it is immutable', { namespace, name });
        break;
      case 'delete':
        logger.info('deleting a token Secret', { namespace, name, account: accountName, reason: action.reason });
        await client
          .of(SECRETS)
          .namespace(namespace)
          .delete(name, { preconditions: { uid: secret.uid }, signal })
          .catch(ignoreNotFoundOrConflict);
        break;
      case 'update': {
        const account = { name: accountName, uid: uid ?? '' };
        const token = action.needsToken ? await this.createToken(secret, account) : undefined;
        const populated = populatedSecret(secret, account, { rootCertificate: settings.rootCertificate.current(), token });
        await client.of(SECRETS).namespace(namespace).update(populated, { signal }).catch(ignoreNotFound);
        break;
      }
    }
    return DONE;
  }

  private createToken({ namespace, name }: Secret, account: { readonly name: string; readonly uid: string }): Promise<string> {
    return signToken(writeLegacyClaims({ namespace, account, secret: name }, this.context.names), this.signingKey());
  }

  /** Removes the reference to a deleted Secret from its ServiceAccount. */
  private async removeReference(key: string): Promise<WorkOutcome> {
    const accountName = this.deletedSecrets.get(key);
    if (accountName === undefined) return DONE;
    const { client, signal } = this.context;
    const [namespace = '', name = ''] = key.split('/');
    const account = await this.getIfExists(SERVICE_ACCOUNTS, namespace, accountName);
    const update = account === undefined ? undefined : withoutSecretReference(account, name);
    // A Secret with the same name may have been created, which the informer does not show yet.
    if (update !== undefined && (await this.getIfExists(SECRETS, namespace, name)) === undefined)
      await client.of(SERVICE_ACCOUNTS).namespace(namespace).update(update, { signal }).catch(ignoreNotFound);
    this.deletedSecrets.delete(key);
    return DONE;
  }

  private async getIfExists<Body extends JsonObject>(
    resource: Resource<Body>,
    namespace: string,
    name: string,
  ): Promise<ApiObject<Body> | undefined> {
    const { client, signal } = this.context;
    return undefinedIfNotFound(client.of(resource).namespace(namespace).get(name, { signal }));
  }
}

const accountKeyOf = (secret: Secret): string => `${secret.namespace}/${accountNameOf(secret, PREFIXES)}`;
