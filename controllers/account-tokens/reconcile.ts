/** What is done about a Secret that holds an account's token; decided from what is seen, without a server. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';

export type Need =
  | { readonly type: 'none' }
  | { readonly type: 'delete'; readonly why: string }
  | { readonly type: 'fill'; readonly needsToken: boolean }
  /** It lacks something and cannot be changed (`immutable`). */
  | { readonly type: 'stuck' };

const NAME = 'service-account.name';
const UID = 'service-account.uid';

/** The prefix of the annotations: that of the Secret's type, which either dialect may have spelled. */
const prefixOf = ({ body }: ApiObject): string => (stringAt(body, 'type') ?? '').split('/', 1)[0] ?? '';

/** The other dialect's spelling counts where the own one is missing, as it does for the server. */
function annotation(secret: ApiObject, name: string, spellings: readonly string[]): string {
  const annotations = objectAt(objectAt(secret.body, 'metadata'), 'annotations');
  const found = [prefixOf(secret), ...spellings].map((prefix) => stringAt(annotations, `${prefix}/${name}`) ?? '');
  return found.find((text) => text !== '') ?? '';
}

/** Whose token it is to hold; '' = nobody's. */
export const accountOf = (secret: ApiObject, spellings: readonly string[]): string => annotation(secret, NAME, spellings);

/** `account` is the uid; undefined = there is no such account. */
export function needOf(
  secret: ApiObject,
  account: string | undefined,
  rootCertificate: string | undefined,
  spellings: readonly string[],
): Need {
  if (isBeingDeleted(secret)) return { type: 'none' };
  if (account === undefined) return { type: 'delete', why: 'its account is not there' };
  const uid = annotation(secret, UID, spellings);
  if (uid !== '' && uid !== account) return { type: 'delete', why: 'it is that of another account of the same name' };
  const data = objectAt(secret.body, 'data');
  const needsToken = (stringAt(data, 'token') ?? '') === '';
  const isWrong = rootCertificate !== undefined && stringAt(data, 'ca.crt') !== encoded(rootCertificate);
  if (!needsToken && !isWrong && (stringAt(data, 'namespace') ?? '') !== '') return { type: 'none' };
  return own(secret.body, 'immutable') === true ? { type: 'stuck' } : { type: 'fill', needsToken };
}

/** The Secret with what it lacks. `token` is undefined where it has one. */
export function filled(
  secret: ApiObject,
  account: { readonly name: string; readonly uid: string },
  rootCertificate: string | undefined,
  token: string | undefined,
): JsonObject {
  const { body, namespace } = secret;
  const metadata = objectAt(body, 'metadata') ?? {};
  const data = objectAt(body, 'data') ?? {};
  const prefix = prefixOf(secret);
  return {
    ...body,
    metadata: {
      ...metadata,
      annotations: { ...objectAt(metadata, 'annotations'), [`${prefix}/${NAME}`]: account.name, [`${prefix}/${UID}`]: account.uid },
    },
    data: {
      ...data,
      ...(rootCertificate === undefined ? {} : { 'ca.crt': encoded(rootCertificate) }),
      ...((stringAt(data, 'namespace') ?? '') === '' ? { namespace: encoded(namespace) } : {}),
      ...(token === undefined ? {} : { token: encoded(token) }),
    },
  };
}

/** The account without its reference to the Secret; undefined = it has none. */
export function withoutReference(account: ApiObject, secret: string): JsonObject | undefined {
  const references = own(account.body, 'secrets');
  if (!Array.isArray(references)) return undefined;
  const others = references.filter((reference) => !isReference(reference, secret));
  if (others.length === references.length) return undefined;
  const { secrets: _, ...rest } = account.body;
  return others.length === 0 ? rest : { ...rest, secrets: others };
}

const isReference = (reference: JsonValue, secret: string): boolean => isObject(reference) && stringAt(reference, 'name') === secret;

const encoded = (text: string): string => Buffer.from(text).toString('base64');
