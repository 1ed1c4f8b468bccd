/** Which Secrets a pod refers to, held against what its service account allows. Says what is wrong, and refuses nothing itself. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

const STRICT = 'platform.io/enforce-mountable-secrets';
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

const objectsAt = (object: JsonObject | undefined, member: string): JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

/** With the words that tell them apart. */
const CONTAINERS = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
] as const;

/** A pod that mirrors what a node runs anyway may not refer to what only the API has. */
export function mirrorFault(spec: JsonObject): string | undefined {
  if ((stringAt(spec, 'serviceAccountName') ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (refersToSecrets(spec)) return 'a mirror pod may not reference secrets';
  const projects = objectsAt(spec, 'volumes').some((volume) =>
    objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => own(source, 'serviceAccountToken') !== undefined),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

/** Members of volumes that refer to a Secret, and the member of those that does. */
const SECRET_MEMBERS: Readonly<Record<string, string>> = {
  azureFile: 'secretName',
  cephfs: 'secretRef',
  cinder: 'secretRef',
  csi: 'nodePublishSecretRef',
  flexVolume: 'secretRef',
  iscsi: 'secretRef',
  rbd: 'secretRef',
  scaleIO: 'secretRef',
  secret: 'secretName',
  storageos: 'secretRef',
};

function refersToSecrets(spec: JsonObject): boolean {
  if (objectsAt(spec, 'imagePullSecrets').length > 0) return true;
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => objectsAt(spec, list));
  return (
    containers.some((container) => envSecrets(container).length > 0 || fromSecrets(container).length > 0) ||
    objectsAt(spec, 'volumes').some((volume) => {
      const isNamed = Object.entries(SECRET_MEMBERS).some(([member, inner]) => own(objectAt(volume, member) ?? {}, inner) !== undefined);
      return isNamed || objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => own(source, 'secret') !== undefined);
    })
  );
}

const secretName = (reference: JsonObject): string => stringAt(reference, 'name') ?? '';

/** Variables with the Secrets that they come from. */
function envSecrets(container: JsonObject): readonly (readonly [variable: string, secret: string])[] {
  return objectsAt(container, 'env').flatMap((variable) => {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'secretKeyRef');
    return reference === undefined ? [] : [[stringAt(variable, 'name') ?? '', secretName(reference)] as const];
  });
}

const fromSecrets = (container: JsonObject): readonly string[] =>
  objectsAt(container, 'envFrom').flatMap((source) => {
    const reference = objectAt(source, 'secretRef');
    return reference === undefined ? [] : [secretName(reference)];
  });

/** The first Secret that a container of the list refers to and that is not known. */
function containerFault(spec: JsonObject, list: string, word: string, known: ReadonlySet<string>): string | undefined {
  for (const container of objectsAt(spec, list)) {
    const shown = `${word} ${stringAt(container, 'name') ?? ''}`;
    const variable = envSecrets(container).find(([, secret]) => !known.has(secret));
    if (variable !== undefined) return `${shown} with envVar ${variable[0]} referencing secret.secretName="${variable[1]}"`;
    const source = fromSecrets(container).find((secret) => !known.has(secret));
    if (source !== undefined) return `${shown} with envFrom referencing secret.secretName="${source}"`;
  }
  return undefined;
}

const notReferenced = (what: string, account: string): string =>
  `${what} is not allowed because service account ${account} does not reference that secret`;

/** The same of what is added to a pod that runs. */
export function checkEphemeralSecrets(spec: JsonObject, account: JsonObject): string | undefined {
  if (!isStrict(account)) return undefined;
  const fault = containerFault(spec, 'ephemeralContainers', 'ephemeral container', knownSecrets(account));
  return fault === undefined ? undefined : notReferenced(fault, nameOf(account));
}

const nameOf = (account: JsonObject): string => stringAt(readMetadata(account), 'name') ?? '';
const knownSecrets = (account: JsonObject): ReadonlySet<string> => new Set(objectsAt(account, 'secrets').map(secretName));

/** What is wrong with the pod, where its account lets it mount only what the account names. */
export function checkSecrets(spec: JsonObject, account: JsonObject): string | undefined {
  if (!isStrict(account)) return undefined;
  const name = nameOf(account);
  const known = knownSecrets(account);
  for (const volume of objectsAt(spec, 'volumes')) {
    const secret = stringAt(objectAt(volume, 'secret'), 'secretName');
    if (secret !== undefined && !known.has(secret)) return notReferenced(`volume with secret.secretName="${secret}"`, name);
  }
  for (const [list, word] of CONTAINERS) {
    const fault = containerFault(spec, list, word, known);
    if (fault !== undefined) return notReferenced(fault, name);
  }
  return pullFault(spec, account, name);
}

function pullFault(spec: JsonObject, account: JsonObject, name: string): string | undefined {
  const known = new Set(objectsAt(account, 'imagePullSecrets').map(secretName));
  const given = objectsAt(spec, 'imagePullSecrets').map(secretName);
  const at = given.findIndex((secret) => !known.has(secret));
  if (at === -1) return undefined;
  return `imagePullSecrets[${at}].name="${given[at] ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

function isStrict(account: JsonObject): boolean {
  const annotations = objectAt(readMetadata(account), 'annotations') ?? {};
  return Object.keys(annotations).some((name) => canonicalQualifiedName(name) === STRICT && TRUE.has(stringAt(annotations, name) ?? ''));
}
