/**
 * Decides what to do with a Secret of type service-account-token, from its ServiceAccount and the root certificate. The
 * functions are pure.
 */
import type { CoreV1Secret, CoreV1ServiceAccount } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Secret, ServiceAccount } from '../../shared/client/rest/typed-objects';

/** What is done with a Secret; `reason` is logged. */
export type SecretAction =
  | { readonly type: 'none' }
  | { readonly type: 'delete'; readonly reason: string }
  | { readonly type: 'update'; readonly needsToken: boolean }
  /** It needs an update that the API server rejects, because the Secret is immutable. */
  | { readonly type: 'immutable' };

const NAME_ANNOTATION = 'service-account.name';
const UID_ANNOTATION = 'service-account.uid';

/** The prefix of the annotations: that of the Secret's type, `platform.io` or upstream's. */
const prefixOf = ({ body }: Secret): string => (body.type ?? '').split('/', 1)[0] ?? '';

/** The first annotation that is not empty, in the dialect of the type or in another, as in the API server. */
function annotationOf(secret: Secret, name: string, prefixes: readonly string[]): string {
  const { annotations = {} } = secret.metadata;
  const values = [prefixOf(secret), ...prefixes].map((prefix) => annotations[`${prefix}/${name}`] ?? '');
  return values.find((value) => value !== '') ?? '';
}

/** The name of the ServiceAccount; '' when the Secret names none. `prefixes`: of the annotation, in all dialects. */
export const accountNameOf = (secret: Secret, prefixes: readonly string[]): string => annotationOf(secret, NAME_ANNOTATION, prefixes);

/** What the content of a Secret depends on. */
export interface SecretDependencies {
  /** The uid of the ServiceAccount that the Secret names; undefined when there is no such ServiceAccount. */
  readonly accountUid: string | undefined;
  /** PEM; undefined when there is none to write. */
  readonly rootCertificate: string | undefined;
}

/** `prefixes`: of annotations, in all dialects. */
export function reconcileSecret(
  secret: Secret,
  { accountUid, rootCertificate }: SecretDependencies,
  prefixes: readonly string[],
): SecretAction {
  if (isBeingDeleted(secret)) return { type: 'none' };
  if (accountUid === undefined) return { type: 'delete', reason: 'its ServiceAccount does not exist' };
  const uid = annotationOf(secret, UID_ANNOTATION, prefixes);
  if (uid !== '' && uid !== accountUid) return { type: 'delete', reason: 'it belongs to a deleted ServiceAccount of the same name' };
  const { token, namespace, 'ca.crt': certificate } = secret.body.data ?? {};
  const needsToken = (token ?? '') === '';
  const needsCertificate = rootCertificate !== undefined && certificate !== encodeBase64(rootCertificate);
  if (!needsToken && !needsCertificate && (namespace ?? '') !== '') return { type: 'none' };
  return secret.body.immutable === true ? { type: 'immutable' } : { type: 'update', needsToken };
}

/** What a Secret gets; `undefined` leaves that part of its data as it is. */
export interface TokenData {
  readonly rootCertificate: string | undefined;
  readonly token: string | undefined;
}

/** The body of the Secret with the data, its namespace if that is missing, and the annotations that name the account. */
export function populatedSecret(
  secret: Secret,
  account: { readonly name: string; readonly uid: string },
  { rootCertificate, token }: TokenData,
): CoreV1Secret {
  const { body, metadata, namespace } = secret;
  const { data } = body;
  const prefix = prefixOf(secret);
  return {
    ...body,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        [`${prefix}/${NAME_ANNOTATION}`]: account.name,
        [`${prefix}/${UID_ANNOTATION}`]: account.uid,
      },
    },
    data: {
      ...data,
      ...(rootCertificate === undefined ? {} : { 'ca.crt': encodeBase64(rootCertificate) }),
      ...((data?.['namespace'] ?? '') === '' ? { namespace: encodeBase64(namespace) } : {}),
      ...(token === undefined ? {} : { token: encodeBase64(token) }),
    },
  };
}

/** The body of the ServiceAccount without its reference to the Secret; undefined when it has none. */
export function withoutSecretReference({ body }: ServiceAccount, secretName: string): CoreV1ServiceAccount | undefined {
  const { secrets = [], ...rest } = body;
  const others = secrets.filter(({ name }) => name !== secretName);
  if (others.length === secrets.length) return undefined;
  return others.length === 0 ? rest : { ...rest, secrets: others };
}

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
