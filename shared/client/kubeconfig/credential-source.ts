/**
 * Provides the Authorization header. A token file is read again once a minute, and when the server rejects the token.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import { errorMessage } from '../../runtime/error-message';
import { ConfigError, type ClientCredentials } from './client-config';

/** Interval at which a token file is read again, as client-go does. */
const REREAD_MS = 60_000;

/** The Authorization header of a client. Called for each request. */
export interface Credentials {
  /** Undefined for no header. */
  header(): MaybePromise<string | undefined>;
  /** Called after a 401 response; true when another credential is available. */
  refreshAfterRejection(): MaybePromise<boolean>;
}

/** The Authorization header from a token, a token file, or a user name with a password. */
export class CredentialSource implements Credentials {
  /** `readAt`: monotonic milliseconds of the last attempt to read the file. */
  private token: { readonly text: string; readonly readAt: number } | undefined;

  constructor(
    private readonly credentials: Exclude<ClientCredentials, { readonly type: 'exec' }>,
    private readonly clock: Clock,
  ) {}

  /** Undefined for no header. Throws {@link ConfigError} when the token file has never been readable. */
  header(): string | undefined {
    switch (this.credentials.type) {
      case 'none':
        return undefined;
      case 'token':
        return `Bearer ${this.credentials.token}`;
      case 'token-file':
        return `Bearer ${this.tokenFromFile(this.credentials.file)}`;
      case 'basic':
        return `Basic ${Buffer.from(`${this.credentials.user}:${this.credentials.password}`).toString('base64')}`;
    }
  }

  /** Called after a 401 response; true when another credential is available. */
  refreshAfterRejection(): boolean {
    if (this.credentials.type !== 'token-file' || this.token === undefined) return false;
    const { text } = this.token;
    this.token = { text, readAt: -Infinity };
    return this.tokenFromFile(this.credentials.file) !== text;
  }

  private tokenFromFile(file: string): string {
    const now = this.clock.monotonic();
    if (this.token !== undefined && now - this.token.readAt < REREAD_MS) return this.token.text;
    try {
      this.token = { text: readFileSync(file, 'utf8').trim(), readAt: now };
    } catch (error) {
      // The old token may still be valid while the file is being replaced.
      if (this.token === undefined) throw new ConfigError(`cannot read the token: ${errorMessage(error)}`);
      this.token = { text: this.token.text, readAt: now };
    }
    return this.token.text;
  }
}
