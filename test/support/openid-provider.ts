/** An OpenID provider over HTTPS: it describes itself, publishes keys that can be exchanged, and signs what it is given. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';

interface SigningKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly published: object;
}

interface ProviderAnswer {
  readonly status: number;
  readonly body: string;
}

export class OpenIdProvider {
  private keys: readonly SigningKey[] = [];
  /** How often its keys were asked for. */
  asked = 0;
  /** What it answers instead; undefined = what it should. */
  broken: ((path: string) => ProviderAnswer | 'nothing') | undefined;

  private constructor(
    private readonly server: Server,
    /** PEM. */
    readonly authority: string,
  ) {}

  static async start(): Promise<OpenIdProvider> {
    const common = { lifetimeMs: 3_600_000, clock: systemClock };
    const authority = await createAuthority({ ...common, subject: { commonName: 'provider-ca' } });
    const { certificate, key } = await issueCertificate({
      ...common,
      authority,
      subject: { commonName: 'provider' },
      usage: 'server',
      names: ['127.0.0.1'],
    });
    const server = createServer({ cert: certificate, key }, (request, answer) => {
      const given = provider.answer(request.url ?? '');
      if (given === 'nothing') return;
      const { status, body } = given;
      answer.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const provider = new OpenIdProvider(server, authority.certificate);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await provider.rotate('one');
    return provider;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `https://127.0.0.1:${port}`;
  }

  /** From here on this is its only key. */
  async rotate(id: string, algorithm = 'RS256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    this.keys = [{ id, algorithm, privateKey, published: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' } }];
  }

  /** A token of the newest key; `changes` may name an end, an issuer and whatever else. */
  sign(claims: JWTPayload, head: object = {}): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('there is no key');
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, aud: 'us', sub: 'ann', iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: key.algorithm, kid: key.id, ...head })
      .sign(key.privateKey);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(path: string): ProviderAnswer | 'nothing' {
    if (this.broken !== undefined) return this.broken(path);
    if (path === '/keys') {
      this.asked += 1;
      return { status: 200, body: JSON.stringify({ keys: this.keys.map(({ published }) => published) }) };
    }
    if (path !== '/.well-known/openid-configuration') return { status: 404, body: '{}' };
    return { status: 200, body: JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }) };
  }
}
