/**
 * A service account token authenticator for unit tests: tokens are signed here, and the objects that they are bound to are
 * in maps that a test changes.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { TokenAuthenticator, TokenOutcome } from '../../../apiserver/authentication/authenticator';
import { serviceAccountTokenAuthenticator } from '../../../apiserver/authentication/service-account/authenticator';
import type { BindableResource, ObjectState, SecretToken } from '../../../apiserver/authentication/service-account/bound-objects';
import { readPublicKeys } from '../../../shared/api/identity/token-keys';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { ManualClock } from '../clock/manual-clock';

/** The time of the clock at the start of a test, in seconds since 1970. */
export const NOW = 1_800_000_000;
/** The issuer and audience of this server. */
export const ISSUER = 'https://api';
/** An issuer that is accepted in addition. */
export const OLD_ISSUER = 'https://old';

/** The key pair that signs tokens, and another one. */
export const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const otherKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

type VerifyingKeys = ReturnType<typeof readPublicKeys>;

/** The keys that verify tokens of the key pair. */
export function verifyingKeysOf({ privateKey }: { readonly privateKey: KeyObject }): VerifyingKeys {
  return readPublicKeys('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

/** The id of the key that signs tokens. */
export const keyId = verifyingKeysOf(keyPair)[0]?.id ?? '';
/** The header of a valid token. */
export const HEADER = { alg: 'RS256', kid: keyId };

/** The UIDs of the objects that exist at the start of a test, all of them in the namespace `ns`. */
export const UIDS = {
  account: 'uid of serviceaccounts/ns/sa',
  pod: 'uid of pods/ns/p',
  secret: 'uid of secrets/ns/s',
  node: 'uid of nodes//n',
} as const;

/** The payload of a token. */
export interface Payload {
  readonly [claim: string]: unknown;
  readonly 'kubernetes.io'?: object | undefined;
}

/** One part of a token; a text is encoded as it is, so that it need not be valid JSON. */
export const encodePart = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

type Signer = KeyObject | ((text: string) => Buffer);

/** A token, signed by {@link keyPair} unless another `signer` is given. `claims` may be a text. */
export function createToken(claims: unknown, header: object = HEADER, signer: Signer = keyPair.privateKey): string {
  const text = `${encodePart(header)}.${encodePart(claims)}`;
  const signature = typeof signer === 'function' ? signer(text) : sign('sha256', Buffer.from(text), signer);
  return `${text}.${signature.toString('base64url')}`;
}

/** The authenticator, and what its decisions depend on. */
export interface TokenFixture {
  readonly clock: ManualClock;
  /** Replaces the keys of the server. */
  setKeys(...verifying: VerifyingKeys): void;
  /** The objects in the cache of this replica, by `resource/namespace/name`. */
  readonly cachedObjects: Map<string, ObjectState>;
  /** Objects that the cache receives when a caller waits until it is current. */
  readonly arrivingObjects: Map<string, ObjectState>;
  /** The tokens in Secrets, by `namespace/name`. */
  readonly secrets: Map<string, SecretToken>;
  /** The Secrets in `secrets` of every account. */
  readonly accountSecrets: string[];
  /** The recorded uses, and the uses of tokens in Secrets as `namespace/name lastUsed`. */
  readonly uses: string[];
  readonly authenticator: TokenAuthenticator;
}

/** A fixture with an empty cache of tokens, in which the objects of {@link UIDS} exist. */
export function createTokenFixture(): TokenFixture {
  const uses: string[] = [];
  const arrivingObjects = new Map<string, ObjectState>();
  const cachedObjects = new Map<string, ObjectState>();
  for (const key of ['serviceaccounts/ns/sa', 'pods/ns/p', 'secrets/ns/s', 'nodes//n'])
    cachedObjects.set(key, { uid: `uid of ${key}`, deletionTime: undefined });
  const clock = new ManualClock(NOW * 1000);
  const secrets = new Map<string, SecretToken>();
  const accountSecrets: string[] = [];
  let keys = { verifying: verifyingKeysOf(keyPair) };
  return {
    clock,
    setKeys: (...verifying) => void (keys = { verifying }),
    cachedObjects,
    arrivingObjects,
    secrets,
    accountSecrets,
    uses,
    authenticator: serviceAccountTokenAuthenticator({
      issuers: [ISSUER, OLD_ISSUER],
      keys: () => keys,
      audiences: [ISSUER],
      objects: {
        find: (resource: BindableResource, namespace, name) => cachedObjects.get([resource, namespace, name].join('/')),
        secretToken: (namespace, name) => secrets.get(`${namespace}/${name}`),
        accountSecrets: () => accountSecrets,
        waitUntilCurrent: () => Promise.resolve(arrivingObjects.forEach((state, key) => cachedObjects.set(key, state))),
      },
      clock,
      names: GENERATED_NAMES.kubernetes,
      useRecorder: {
        recordCacheLookup: () => undefined,
        recordUse: (use) => void uses.push(use),
        recordSecretUse: ({ namespace, name }, lastUsed) => void uses.push(`${namespace}/${name} ${lastUsed}`),
      },
    }),
  };
}

/** `user`, `none`, or the reason of a failure, for a token that must be valid for {@link ISSUER}. */
export async function reasonOf({ authenticator }: TokenFixture, token: string): Promise<string> {
  const outcome: TokenOutcome = await authenticator.authenticate(token, [ISSUER]);
  return outcome.type === 'failed' ? outcome.reason : outcome.type;
}
