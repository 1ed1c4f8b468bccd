/**
 * The signing keys of one issuer, found by OpenID discovery and cached. The keys are loaded again in two cases:
 *
 * - No known key verifies a token: the token waits for the new keys.
 * - A token is verified, and the known keys are five minutes old: they are refreshed in the background, so that withdrawn
 *   keys are removed.
 *
 * Whatever tokens claim, at least ten seconds pass between two refreshes. Responses of the provider are bounded in size and
 * time. Verifying tokens is left to authenticator.ts.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { createTransport } from '../../../shared/client/transport/connect';
import { collectBody } from '../../../shared/client/rest/json-body';
import { withDeadline } from '../../../shared/client/signals';
import type { Clock } from '../../../shared/runtime/clock';

/** The issuer and the addresses of its keys. */
export interface ProviderOptions {
  /** The URL of the issuer, which the discovery document must repeat. */
  readonly issuer: string;
  /** URL of the discovery document; `undefined` for the standard path below the issuer URL. */
  readonly discoveryUrl: string | undefined;
  /** The CAs of the provider in PEM; `undefined` for those of the system. */
  readonly authority: string | undefined;
  readonly clock: Clock;
  /** Called when a refresh fails; it is retried. */
  readonly onError: (message: string, error: unknown) => void;
}

/** A public key of a provider, from its JSON Web Key Set. */
export interface ProviderKey {
  /** The `kid` of its tokens; '' when the provider does not name it. */
  readonly id: string;
  readonly key: KeyObject;
  /** The signature algorithm of tokens; `undefined` when the key may be used with every algorithm of its type. */
  readonly algorithm: string | undefined;
}

/** Limit of a discovery document and of a key set. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** Time limit of one request to the provider. */
const TIMEOUT_MS = 10_000;
/** Minimum time between the end of a refresh and the next one. */
const MIN_REFRESH_INTERVAL_MS = 10_000;
/** Age of the keys at which a token with a known key id causes a refresh. */
const MAX_KEYS_AGE_MS = 5 * 60_000;
/** Limit of the keys of a provider; real ones have a handful. */
const MAX_KEYS = 100;

/** The keys of one issuer. Requests to the provider are shared by concurrent callers. */
export class OidcProvider {
  private keys: readonly ProviderKey[] = [];
  /** When the last refresh ended, with or without success, by Clock.monotonic. */
  private refreshedAt = Number.NEGATIVE_INFINITY;
  /** The refresh in flight. */
  private refreshing: Promise<void> | undefined;

  constructor(private readonly options: ProviderOptions) {}

  /**
   * The known keys that may have signed a token: those with the key id of its header, or all keys when the header has none.
   * Waits for a refresh when no known key has the id.
   */
  async candidates(id: string | undefined): Promise<readonly ProviderKey[]> {
    const knownKeys = this.keysFor(id);
    if (knownKeys.length === 0) {
      await this.refresh();
      return this.keysFor(id);
    }
    // The token need not wait: if none of the known keys verifies it, the caller calls newCandidates.
    if (this.options.clock.monotonic() - this.refreshedAt >= MAX_KEYS_AGE_MS) void this.refresh();
    return knownKeys;
  }

  /**
   * The keys of a refresh, for a token that none of `candidates` verifies: a provider may replace a key under the same
   * id. None when there was no refresh, because it failed or the last one was too recent.
   */
  async newCandidates(id: string | undefined): Promise<readonly ProviderKey[]> {
    const keysBefore = this.keys;
    await this.refresh();
    return this.keys === keysBefore ? [] : this.keysFor(id);
  }

  private keysFor(id: string | undefined): readonly ProviderKey[] {
    return id === undefined ? this.keys : this.keys.filter((key) => key.id === id);
  }

  /** Concurrent callers share one refresh. Never rejects: a failure is reported, and the known keys stay. */
  private refresh(): Promise<void> {
    const { clock, issuer, onError } = this.options;
    if (this.refreshing !== undefined) return this.refreshing;
    if (clock.monotonic() - this.refreshedAt < MIN_REFRESH_INTERVAL_MS) return Promise.resolve();
    this.refreshing = this.loadKeys()
      .catch((error: unknown) => onError(`the keys of ${issuer} could not be loaded`, error))
      .finally(() => {
        this.refreshing = undefined;
        this.refreshedAt = clock.monotonic();
      });
    return this.refreshing;
  }

  /** Replaces the keys. Rejects when the provider does not return a valid discovery document and key set. */
  private async loadKeys(): Promise<void> {
    const { issuer, discoveryUrl } = this.options;
    const discovery = await this.fetchDocument(discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (discovery['issuer'] !== issuer)
      throw new Error(`the discovery document names another issuer: ${JSON.stringify(discovery['issuer'])}`);
    const address = discovery['jwks_uri'];
    if (typeof address !== 'string') throw new Error('the discovery document has no jwks_uri');
    const { keys } = await this.fetchDocument(address);
    if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
    this.keys = keys.slice(0, MAX_KEYS).flatMap((jwk: unknown) => readKey(jwk) ?? []);
  }

  private async fetchDocument(address: string): Promise<Readonly<Record<string, unknown>>> {
    const { authority, clock } = this.options;
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new Error(`${address} is not an https URL`);
    const tls = authority === undefined ? {} : { ca: authority };
    const transport = createTransport({ servers: [url], tls, http1: true }, clock);
    const deadline = withDeadline(clock, TIMEOUT_MS, () => new Error(`${address} did not respond within ${TIMEOUT_MS / 1000} s`), []);
    try {
      const { signal } = deadline;
      const response = await transport.send({ method: 'GET', path: `${url.pathname}${url.search}`, headers: {}, signal });
      if (response.status !== 200) throw new Error(`${address} answers ${response.status}`);
      const body = await collectBody(response.body, MAX_DOCUMENT_BYTES);
      return asRecord(JSON.parse(body.toString()));
    } finally {
      deadline.release();
      transport.close();
    }
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('the response is not an object');
  return { ...value };
}

/** `undefined` unless the value is a public signing key; symmetric keys are ignored. */
function readKey(value: unknown): ProviderKey | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const jwk: Readonly<Record<string, unknown>> = { ...value };
  const { kid, alg, use, kty } = jwk;
  const isForSignatures = use === undefined || use === 'sig';
  const isPublicKeyType = kty === 'RSA' || kty === 'EC';
  if (!isForSignatures || !isPublicKeyType) return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return { id: typeof kid === 'string' ? kid : '', key, algorithm: typeof alg === 'string' ? alg : undefined };
  } catch {
    return undefined;
  }
}
