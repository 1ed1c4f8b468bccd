/**
 * Credentials of a service account, so that each controller can have its own identity. Another client, which has the
 * permission, requests the tokens (TokenRequest): at the first use, and again well before a token expires. It creates
 * the service account when that is missing.
 */
import { apiVersionInDialect } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import { objectAt, stringAt } from '../../values/json';
import { isAlreadyExists, isNotFound } from './api-error';
import { MalformedResponse } from './api-object';
import type { Credentials } from '../kubeconfig/credential-source';
import { resourceOf } from './resource';
import type { RestClient } from './rest-client';

/** The ServiceAccount that requests are sent as. */
export interface ServiceAccountCredentialsOptions {
  /** A client that may create the service account and its tokens. */
  readonly client: RestClient;
  readonly account: { readonly namespace: string; readonly name: string };
  readonly clock: Clock;
}

const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
/** Requested lifetime of a token, as upstream's controllers request. */
const LIFETIME_S = 3_600;
/**
 * Tokens are replaced after 80 % of the requested lifetime: the server's clock may differ, and requests in progress must
 * complete.
 */
const REUSE_MS = 0.8 * LIFETIME_S * 1_000;

interface Token {
  /** The Authorization header with the token. */
  readonly header: string;
  /** Monotonic milliseconds at which the token was requested. */
  readonly requestedAt: number;
}

/** The token of one service account, renewed before it expires. Concurrent callers share one request for it. */
export class ServiceAccountCredentials implements Credentials {
  private token: Token | undefined;
  private pending: Promise<Token> | undefined;

  constructor(private readonly options: ServiceAccountCredentialsOptions) {}

  async header(): Promise<string> {
    const { token } = this;
    if (token !== undefined && this.options.clock.monotonic() - token.requestedAt < REUSE_MS) return token.header;
    return (await this.refreshToken()).header;
  }

  async refreshAfterRejection(): Promise<boolean> {
    const before = this.token;
    return (await this.refreshToken()).header !== before?.header;
  }

  /** Concurrent callers share one request. */
  private refreshToken(): Promise<Token> {
    this.pending ??= this.issueToken().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async issueToken(): Promise<Token> {
    const requestedAt = this.options.clock.monotonic();
    const header = await this.requestToken().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await this.createAccount();
      return this.requestToken();
    });
    this.token = { header, requestedAt };
    return this.token;
  }

  private async requestToken(): Promise<string> {
    const { client, account } = this.options;
    const response = await client
      .of(ACCOUNTS)
      .namespace(account.namespace)
      .createSubresource(account.name, 'token', {
        apiVersion: apiVersionInDialect(client.dialect, 'authentication.platform.io/v1'),
        kind: 'TokenRequest',
        spec: { expirationSeconds: LIFETIME_S },
      });
    const token = stringAt(objectAt(response, 'status'), 'token');
    if (token === undefined) throw new MalformedResponse(`no token was issued for the service account ${account.name}`);
    return `Bearer ${token}`;
  }

  private async createAccount(): Promise<void> {
    const { client, account } = this.options;
    await client
      .of(ACCOUNTS)
      .namespace(account.namespace)
      .create({ metadata: { ...account } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  }
}
