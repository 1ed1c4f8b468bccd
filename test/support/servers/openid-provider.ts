/** An OpenID provider over HTTPS: discovery document, keys that can be rotated, and signed tokens. */
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { startWebhookServer, type WebhookServer } from './webhook-server';

interface SigningKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

type ProviderResponse = { readonly status: number; readonly body: string } | 'hang';

export class OpenIdProvider {
  /** The published keys. The first one signs. */
  private keys: readonly SigningKey[] = [];
  /** The number of requests for its keys, without those that `override` responds to. */
  keyRequests = 0;
  /** Responds in place of the provider while set. */
  override: ((path: string) => ProviderResponse) | undefined;

  private constructor(private readonly server: WebhookServer) {}

  static async start(): Promise<OpenIdProvider> {
    const server = await startWebhookServer({ reply: ({ url }) => provider.respond(url) });
    const provider = new OpenIdProvider(server);
    await provider.rotate('one');
    return provider;
  }

  /** The authority of the provider's certificate, PEM. */
  get authority(): string {
    return Buffer.from(this.server.caBundle, 'base64').toString();
  }

  get url(): string {
    return `https://127.0.0.1:${this.server.port}`;
  }

  /** Replaces all keys by a new one. */
  async rotate(id: string, algorithm = 'RS256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    this.keys = [{ id, algorithm, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' } }];
  }

  /** A token signed with the current key. `claims` and `head` override the defaults, such as expiry, issuer and key id. */
  sign(claims: JWTPayload, head: object = {}): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('there is no key');
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, aud: 'us', sub: 'ann', iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: key.algorithm, kid: key.id, ...head })
      .sign(key.privateKey);
  }

  stop(): Promise<void> {
    return this.server.close();
  }

  private respond(path: string): ProviderResponse {
    if (this.override !== undefined) return this.override(path);
    if (path === '/keys') {
      this.keyRequests += 1;
      return { status: 200, body: JSON.stringify({ keys: this.keys.map(({ publicJwk }) => publicJwk) }) };
    }
    if (path !== '/.well-known/openid-configuration') return { status: 404, body: '{}' };
    return { status: 200, body: JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }) };
  }
}
