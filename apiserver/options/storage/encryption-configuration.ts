/**
 * Schema and validation of the EncryptionConfiguration file, with upstream's messages where upstream rejects the same.
 * Reads no file and creates no cipher.
 */
import type { InvalidField } from '../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { DURATION_FORMAT, integerSchema, listSchema, objectSchema, stringSchema, type ValueOf } from '../../../shared/configuration/schema';
import { canonicalGroup } from '../../../shared/names/dialect';
import { parseDuration } from '../../../shared/cli/duration';
import { appendAll } from '../../../shared/values/append';
import { quote } from '../../../shared/values/text/quote';

const keys = objectSchema({}, { keys: listSchema(objectSchema({}, { name: stringSchema(), secret: stringSchema() })) });
const provider = objectSchema(
  {},
  {
    aescbc: keys,
    aesgcm: keys,
    secretbox: keys,
    identity: objectSchema({}, {}),
    kms: objectSchema(
      {},
      {
        apiVersion: stringSchema(),
        name: stringSchema(),
        endpoint: stringSchema(),
        timeout: stringSchema(DURATION_FORMAT),
        cachesize: integerSchema(-2_147_483_648, 2_147_483_647),
      },
    ),
  },
);
const SCHEMA = objectSchema(
  {},
  { resources: listSchema(objectSchema({}, { resources: listSchema(stringSchema()), providers: listSchema(provider) })) },
);

/** The file with the encryption of all resources. */
export type EncryptionConfiguration = ValueOf<typeof SCHEMA>;
/** The providers of some resources: the first encrypts, all decrypt. */
export type ConfiguredResources = NonNullable<EncryptionConfiguration['resources']>[number];
/** A provider; a valid one has exactly one member. */
export type ConfiguredProvider = NonNullable<ConfiguredResources['providers']>[number];
/** A provider that calls a KMS plug-in. */
export type ConfiguredKms = NonNullable<ConfiguredProvider['kms']>;

/** Reads and validates the file, except for the plug-ins, which are not called. */
export const ENCRYPTION_FORMAT: ConfigurationFormat<EncryptionConfiguration> = {
  kind: 'EncryptionConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1'],
  schema: SCHEMA,
  validate: ({ resources = [] }) =>
    resources.length === 0 ? [required('resources', 'at least one resources is required')] : rowErrors(resources),
};

const required = (path: string, text: string): InvalidField => ({ path, reason: `Required value: ${text}` });
const invalid = (path: string, value: string, text: string): InvalidField => ({ path, reason: `Invalid value: ${value}: ${text}` });

function rowErrors(rows: readonly ConfiguredResources[]): readonly InvalidField[] {
  const kmsNames = new Set<string>();
  const errors = rows.flatMap(({ resources = [], providers = [] }, index) => {
    const path = `resources[${index}]`;
    const missing = (member: string): InvalidField => required(`${path}.${member}`, `at least one ${path}.${member} is required`);
    return [
      ...(resources.length === 0 ? [missing('resources')] : resourceErrors(resources, `${path}.resources`)),
      ...(providers.length === 0 ? [missing('providers')] : []),
      ...providers.flatMap((provider, position) => providerErrors(provider, `${path}.providers[${position}]`, kmsNames)),
    ];
  });
  // As upstream, reports masked resources only when everything else is valid. KMS v1, which upstream accepts, comes last.
  if (errors.length > 0) return errors;
  const masked = maskedResourceErrors(rows);
  return masked.length > 0 ? masked : kmsV1Errors(rows);
}

/** All resources of the core group. Followed by the name of a group, all resources of this group: `*.apps`. */
const CORE_WILDCARD = '*.';
const EVERY_RESOURCE = '*.*';
/** Upstream stores these resources, but does not serve them as objects. */
const UNSERVED_RESOURCES = ['serviceipallocations', 'servicenodeportallocations'];

function resourceErrors(resources: readonly string[], path: string): readonly InvalidField[] {
  const shown = `[]string{${resources.map((resource) => quote(resource)).join(', ')}}`;
  const errors: InvalidField[] = [];
  if (new Set(resources).size < resources.length) errors.push(invalid(path, shown, 'the same resource cannot be specified multiple times'));
  if (hasOverlap(resources)) {
    const text = "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    errors.push(invalid(path, shown, text));
  }
  resources.forEach((resource, index) => {
    const text = resourceError(resource);
    if (text !== undefined) errors.push(invalid(`${path}[${index}]`, quote(resource), text));
  });
  return errors;
}

/** Whether one entry covers another: `*.*` every other entry, `*.apps` each resource of the group `apps`. */
function hasOverlap(resources: readonly string[]): boolean {
  if (resources.length < 2) return false;
  if (resources.includes(EVERY_RESOURCE)) return true;
  const wildcards = new Set(resources.filter(isWildcard).map(groupOf));
  return resources.some((resource) => !isWildcard(resource) && wildcards.has(groupOf(resource)));
}

/** `*` alone is invalid, but counts as `*.`, so that both errors are reported. */
const isWildcard = (resource: string): boolean => resource === '*' || resource.startsWith(CORE_WILDCARD);

/** `deployments.apps` -> `apps`; `secrets` -> '' */
function groupOf(resource: string): string {
  const dot = resource.indexOf('.');
  return dot < 0 ? '' : resource.slice(dot + 1);
}

function resourceError(resource: string): string | undefined {
  const group = canonicalGroup(groupOf(resource));
  if (resource === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (resource === EVERY_RESOURCE) return undefined;
  if (resource.includes('.') && groupOf(resource) === '*') return 'encrypting the same resource across groups is not supported';
  if (/[A-Z]/.test(resource)) return 'resource name should not contain capital letters';
  if (group === 'events.platform.io') {
    const name = `*.${groupOf(resource)}`;
    return `'${name}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  return UNSERVED_RESOURCES.includes(resource) ? 'resources which do not have REST API/s cannot be encrypted' : undefined;
}

/** Reports the first resource that a wildcard of an earlier row covers. */
function maskedResourceErrors(rows: readonly ConfiguredResources[]): readonly InvalidField[] {
  const wildcards: string[] = [];
  for (const { resources = [] } of rows) {
    for (const resource of resources) {
      const mask = wildcards.find((earlier) => earlier === EVERY_RESOURCE || groupOf(earlier) === groupOf(resource));
      if (mask !== undefined) return [{ path: '', reason: `resource ${quote(resource)} is masked by earlier rule ${quote(mask)}` }];
    }
    appendAll(wildcards, resources.filter(isWildcard));
  }
  return [];
}

/** The lengths of keys in bytes, by provider. */
const SECRET_LENGTHS = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
/** A provider with keys in the file. */
export type KeyedProvider = keyof typeof SECRET_LENGTHS;
/** All providers with keys in the file. */
export const KEYED_PROVIDERS: readonly KeyedProvider[] = ['aescbc', 'aesgcm', 'secretbox'];

const EXPECTED_PROVIDERS = 'KMS, AESGCM, AESCBC, Secretbox, Identity';

/** Adds the name of a KMS provider to `kmsNames`, which has those of the providers before it. */
function providerErrors(provider: ConfiguredProvider, path: string, kmsNames: Set<string>): readonly InvalidField[] {
  const types = Object.keys(provider);
  const shown = `{${types.join(', ')}}`;
  if (types.length === 0) return [invalid(path, shown, `provider does not contain any of the expected providers: ${EXPECTED_PROVIDERS}`)];
  if (types.length > 1) {
    return [invalid(path, shown, 'more than one provider specified in a single element, should split into different list elements')];
  }
  if (provider.kms !== undefined) return kmsErrors(provider.kms, `${path}.kms`, kmsNames);
  return KEYED_PROVIDERS.flatMap((type) => {
    const keyed = provider[type];
    return keyed === undefined ? [] : keyErrors(keyed, `${path}.${type}.keys`, SECRET_LENGTHS[type]);
  });
}

function keyErrors(
  { keys: configuredKeys = [] }: NonNullable<ConfiguredProvider['aescbc']>,
  path: string,
  lengths: readonly number[],
): readonly InvalidField[] {
  if (configuredKeys.length === 0) return [required(path, 'at least one keys is required')];
  return configuredKeys.flatMap(({ name = '', secret = '' }, index) => {
    const keyPath = `${path}[${index}]`;
    const errors: InvalidField[] = [];
    if (name === '') errors.push(required(`${keyPath}.name`, 'name is a mandatory field for a key'));
    const error = secretError(secret, `${keyPath}.secret`, lengths);
    if (error !== undefined) errors.push(error);
    return errors;
  });
}

/** The error never shows the secret. */
function secretError(secret: string, path: string, lengths: readonly number[]): InvalidField | undefined {
  if (secret === '') return required(path, 'secret is a mandatory field for a key');
  const bytes = decodeSecret(secret);
  if (bytes === undefined) return invalid(path, '"REDACTED"', 'secrets must be base64 encoded');
  if (lengths.includes(bytes.length)) return undefined;
  const text = `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`;
  return invalid(path, '"REDACTED"', text);
}

/** Whole groups of four characters, the last one padded: `c2VjcmV0`, `c2VjcmU=`. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a secret; `undefined` when it is not padded base64. Line breaks are ignored. */
export function decodeSecret(secret: string): Buffer | undefined {
  const plain = secret.replaceAll('\n', '').replaceAll('\r', '');
  return BASE64.test(plain) ? Buffer.from(plain, 'base64') : undefined;
}

function kmsErrors(kms: ConfiguredKms, path: string, names: Set<string>): readonly InvalidField[] {
  const { apiVersion = 'v1', name = '', endpoint = '', timeout = '3s', cachesize } = kms;
  const errors: InvalidField[] = [];
  const addError = (member: string, value: string, reason: string): void => {
    errors.push(invalid(`${path}.${member}`, value, reason));
  };
  if (apiVersion !== 'v1' && apiVersion !== 'v2') {
    addError('apiVersion', quote(apiVersion), 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported');
  }
  if (name === '') errors.push(required(`${path}.name`, 'name is a mandatory field for a provider'));
  else if (name.includes(':')) addError('name', quote(name), `invalid KMS provider name ${name}, must not contain ':'`);
  else if (names.has(name)) addError('name', quote(name), `duplicate KMS provider name ${name}, names must be unique`);
  names.add(name);
  const timeoutMs = parseDuration(timeout) ?? 0;
  if (timeoutMs <= 0) addError('timeout', timeout, 'timeout should be a positive value');
  if (apiVersion === 'v2' && cachesize !== undefined) addError('cachesize', String(cachesize), 'cachesize is not supported in v2');
  const endpointText = endpointError(endpoint);
  if (endpointText !== undefined) addError('endpoint', quote(endpoint), endpointText);
  return errors;
}

function kmsV1Errors(rows: readonly ConfiguredResources[]): readonly InvalidField[] {
  const reason = 'version 1 of the KMS API is deprecated and not supported here: use apiVersion v2';
  return rows.flatMap(({ providers = [] }, index) =>
    providers.flatMap(({ kms }, position) =>
      kms === undefined || kms.apiVersion === 'v2' ? [] : [{ path: `resources[${index}].providers[${position}].kms`, reason }],
    ),
  );
}

/** The scheme of a URL: `unix` in `unix:///run/kms.sock`. */
const URL_SCHEME = /^([a-z][a-z0-9+.-]*):/i;

function endpointError(endpoint: string): string | undefined {
  if (endpoint === '') return 'endpoint is a mandatory field for a kms';
  const scheme = URL_SCHEME.exec(endpoint)?.[1] ?? '';
  if (scheme !== 'unix') return `unsupported scheme ${quote(scheme)} for KMS provider, only unix is supported`;
  try {
    decodeURIComponent(endpoint);
  } catch {
    return 'invalid endpoint for kms provider, error: it contains an invalid escape';
  }
  return undefined;
}
