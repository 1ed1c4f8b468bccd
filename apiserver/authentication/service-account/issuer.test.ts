/** Tokens that the issuer signs with each type of key, and their claims. */
import { generateKeyPairSync } from 'node:crypto';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { serviceAccountTokenAuthenticator } from './authenticator';
import { tokenIssuer } from './issuer';

/** The time of the clock in seconds since 1970. */
const NOW = 1_800_000_000;
const names = GENERATED_NAMES.platform;
/** The account of the tokens, which exists. */
const ACCOUNT = { name: 'sa', uid: 'u' };

/** A new private key in PEM; `type` is `rsa` or the name of an elliptic curve. */
function privateKeyPem(type: string): string {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: type });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The claims of a token that is valid for ten minutes. */
const CLAIMS = {
  issuedAt: NOW,
  notBefore: NOW,
  expires: NOW + 600,
  audiences: ['a'],
  id: 'j',
  namespace: 'ns',
  account: ACCOUNT,
};

describe('tokenIssuer', () => {
  it.each(['rsa', 'prime256v1', 'secp384r1', 'secp521r1'])('signs tokens with %s that the authenticator accepts', async (type) => {
    const pem = privateKeyPem(type);
    const signing = readPrivateKey('k', pem);
    const verifying = readPublicKeys('k', pem);
    const authenticator = serviceAccountTokenAuthenticator({
      issuers: ['me'],
      keys: () => ({ verifying }),
      audiences: [],
      objects: {
        find: () => ({ uid: ACCOUNT.uid, deletionTime: undefined }),
        secretToken: () => undefined,
        accountSecrets: () => [],
        waitUntilCurrent: () => Promise.resolve(),
      },
      clock: new ManualClock(NOW * 1000),
      names,
      useRecorder: { recordCacheLookup: () => undefined, recordUse: () => undefined, recordSecretUse: () => undefined },
    });
    const token = await tokenIssuer('me', () => ({ signing }), names)(CLAIMS);
    expect(await authenticator.authenticate(token, ['a'])).toMatchObject({ type: 'user', user: { name: 'system:serviceaccount:ns:sa' } });
  });

  it('writes header and claims with the members and the order of upstream', async () => {
    const signing = readPrivateKey('k', privateKeyPem('prime256v1'));
    const token = await tokenIssuer('me', () => ({ signing }), names)(CLAIMS);
    const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(header).toBe(JSON.stringify({ alg: signing.algorithm, kid: signing.id }));
    expect(claims).toBe(
      `{"aud":["a"],"exp":${NOW + 600},"iat":${NOW},"iss":"me","jti":"j",` +
        '"platform.io":{"namespace":"ns","serviceaccount":{"name":"sa","uid":"u"}},' +
        `"nbf":${NOW},"sub":"system:serviceaccount:ns:sa"}`,
    );
  });
});
