import { generateKeyPairSync } from 'node:crypto';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { serviceAccountTokenAuthenticator } from './authenticator';
import { tokenIssuer } from './issuer';

/** The time of the clock in seconds since 1970. */
const now = 1_800_000_000;
const names = GENERATED_NAMES.platform;
const ACCOUNT = { name: 'sa', uid: 'u' };

/** A new private key in PEM; `type` is `rsa` or the name of an elliptic curve. */
function privateKeyPem(type: string): string {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: type });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

it.each(['rsa', 'prime256v1', 'secp384r1', 'secp521r1'])(
  'tokenIssuer signs tokens with %s that the authenticator accepts',
  async (type) => {
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
      clock: new ManualClock(now * 1000),
      names,
      useRecorder: { recordCacheLookup: () => undefined, recordUse: () => undefined, recordSecretUse: () => undefined },
    });
    const issueToken = tokenIssuer('me', () => ({ signing }), names);
    const times = { issuedAt: now, notBefore: now, expires: now + 600 };
    const token = await issueToken({ ...times, audiences: ['a'], id: 'j', namespace: 'ns', account: ACCOUNT });
    expect(await authenticator.authenticate(token, ['a'])).toMatchObject({ type: 'user', user: { name: 'system:serviceaccount:ns:sa' } });
    const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(header).toBe(JSON.stringify({ alg: signing.algorithm, kid: signing.id }));
    expect(claims).toBe(
      `{"aud":["a"],"exp":${now + 600},"iat":${now},"iss":"me","jti":"j",` +
        '"platform.io":{"namespace":"ns","serviceaccount":{"name":"sa","uid":"u"}},' +
        `"nbf":${now},"sub":"system:serviceaccount:ns:sa"}`,
    );
  },
);
