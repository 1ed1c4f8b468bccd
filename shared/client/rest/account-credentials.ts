/**
 * The credentials of a service account, which somebody asks for who may: a token that is asked for when it is first needed and again well before it ends.
 * The account is made where it is missing.
 */
import { apiVersionInDialect } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import { objectAt, stringAt } from '../../values/json';
import { isAlreadyExists, isNotFound } from './api-error';
import { MalformedAnswer } from './api-object';
import type { Credentials } from '../kubeconfig/credential-source';
import { resourceOf } from './resource';
import type { RestClient } from './rest-client';

export interface AccountCredentialsOptions {
  /** Asks for the tokens. */
  readonly client: RestClient;
  readonly account: { readonly namespace: string; readonly name: string };
  readonly clock: Clock;
}

const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const LIFETIME_S = 3_600;
/** A token is good for so long in the eyes of whoever asked for it: the server's clock may differ, and what is under way has to end. */
const USED_MS = LIFETIME_S * 800;

interface Token {
  readonly header: string;
  readonly askedAt: number;
}

export class AccountCredentials implements Credentials {
  private token: Token | undefined;
  private asking: Promise<Token> | undefined;

  constructor(private readonly options: AccountCredentialsOptions) {}

  async header(): Promise<string> {
    const { token } = this;
    if (token !== undefined && this.options.clock.monotonic() - token.askedAt < USED_MS) return token.header;
    return (await this.ask()).header;
  }

  async refused(): Promise<boolean> {
    const before = this.token;
    return (await this.ask()).header !== before?.header;
  }

  /** All who wait wait for one token. */
  private ask(): Promise<Token> {
    this.asking ??= this.issue().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async issue(): Promise<Token> {
    const askedAt = this.options.clock.monotonic();
    const header = await this.request().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await this.makeAccount();
      return this.request();
    });
    this.token = { header, askedAt };
    return this.token;
  }

  private async request(): Promise<string> {
    const { client, account } = this.options;
    const answer = await client.ask(
      ACCOUNTS,
      { ...account, subresource: 'token' },
      {
        apiVersion: apiVersionInDialect(client.dialect, 'authentication.platform.io/v1'),
        kind: 'TokenRequest',
        spec: { expirationSeconds: LIFETIME_S },
      },
    );
    const token = stringAt(objectAt(answer, 'status'), 'token');
    if (token === undefined) throw new MalformedAnswer(`no token was issued for the service account ${account.name}`);
    return `Bearer ${token}`;
  }

  private async makeAccount(): Promise<void> {
    const { client, account } = this.options;
    await client.create(ACCOUNTS, { metadata: { ...account } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}
