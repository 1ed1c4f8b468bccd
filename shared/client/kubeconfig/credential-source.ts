/**
 * Provides the Authorization header of requests. A token file is read again when a request is sent a minute after the
 * last reading, and when the server rejects the token. exec-credentials.ts provides the header from a plug-in.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import { errorMessage } from '../../runtime/error-message';
import { ConfigError, type ClientCredentials } from './client-config';

/** A token file is read again after this time, as client-go does. Milliseconds. */
const REREAD_MS = 60_000;

/** The credentials of a client's requests. */
export interface Credentials {
  /** The Authorization header; `undefined` for none. Called for each attempt of a request. */
  header(): MaybePromise<string | undefined>;
  /** Called after a 401 response. Returns whether {@link header} now returns another credential. */
  refreshAfterRejection(): MaybePromise<boolean>;
}

/** The Authorization header from a token, a token file, or a user name with a password. */
export class CredentialSource implements Credentials {
  /** The token of the file; `undefined` before the first reading. `readAt`: monotonic milliseconds of the last attempt. */
  private token: { readonly text: string; readonly readAt: number } | undefined;

  constructor(
    private readonly credentials: Exclude<ClientCredentials, { readonly type: 'exec' }>,
    private readonly clock: Clock,
  ) {}

  /** Throws {@link ConfigError} when the token file has never been readable. */
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

  /** True only for a token file with changed content. */
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
