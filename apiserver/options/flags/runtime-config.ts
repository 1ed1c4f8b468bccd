/**
 * `--runtime-config`: which versions and resources are served, in upstream's notation and with upstream's messages. Each
 * key has `=true`, `=false`, or nothing, which is true. A key overrides those above it:
 *
 * - `api/all`
 * - `api/ga`, `api/beta`, `api/alpha`: all versions of this stability
 * - `batch/v1`, `v1`: a group and version, or a version of the core group; groups in either dialect
 * - `batch/v1/jobs`: one resource
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { OPTIONAL_KINDS, SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { quote } from '../../../shared/values/text/quote';
import { canonicalGroup } from '../../../shared/names/dialect';
import { FlagError, mapFlag, type Flag } from '../../../shared/cli/flags';

/** The value of the flag. */
export interface RuntimeConfig {
  /** The flag's keys, groups in canonical spelling. */
  readonly settings: ReadonlyMap<string, boolean>;
  /** The served kinds. */
  readonly kinds: readonly KindRow[];
  /** Keys of known groups with unknown versions. They cause a warning, whereas upstream's server does not start. */
  readonly unknownVersions: readonly string[];
}

/** The version of IPAddress and ServiceCIDR. IP addresses are allocated in the transaction of their Service instead. */
const NEVER_SERVED = ['networking.platform.io/v1beta1'];

const EVERY_KIND: readonly KindRow[] = [...SERVED_KINDS, ...OPTIONAL_KINDS];

/** The flag, which may be repeated: the settings are merged. `section` is its heading in the help. */
export function runtimeConfigFlag(section: string): Flag<RuntimeConfig> {
  const pairsFlag = mapFlag({
    section,
    help: 'API versions and resources to enable or disable: api/all|ga|beta|alpha, group/version or group/version/resource, each with =true or =false.',
    default: new Map(),
  });
  return {
    ...pairsFlag,
    default: createRuntimeConfig(new Map()),
    bareValue: undefined,
    parse: (text, previous) =>
      createRuntimeConfig(new Map([...(previous?.settings ?? []), ...parseSettings(pairsFlag.parse(text, undefined))])),
    formatDefault: () => '',
  };
}

/** Throws FlagError for an invalid key or value. */
function parseSettings(pairs: ReadonlyMap<string, string>): Map<string, boolean> {
  const settings = new Map<string, boolean>();
  for (const [key, value] of pairs) {
    const canonical = canonicalKey(key);
    const isEnabled = parseBoolean(value);
    if (isEnabled === undefined) {
      throw new FlagError(`invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${quote(value)}: invalid syntax`);
    }
    checkKey(key, canonical);
    if (isEnabled) checkCanBeServed(key, canonical);
    settings.set(canonical, isEnabled);
  }
  return settings;
}

function canonicalKey(key: string): string {
  const [group = '', ...versionAndResource] = key.split('/');
  return [canonicalGroup(group), ...versionAndResource].join('/');
}

/** The texts that Go's `strconv.ParseBool` reads as true, and the empty text. */
const TRUE: ReadonlySet<string> = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True']);
/** The texts that Go's `strconv.ParseBool` reads as false. */
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function parseBoolean(text: string): boolean | undefined {
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

const STABILITY_KEYS = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const;

/** Throws FlagError when the key has another form, or names an unknown group. `key`: as it was given, for messages. */
function checkKey(key: string, canonical: string): void {
  if (canonical === 'v1' || STABILITY_KEYS.some((stage) => stage === canonical)) return;
  const parts = canonical.split('/');
  const [group = ''] = parts;
  if (parts.length < 2 || parts.length > 3) throw new FlagError(`runtime-config invalid key ${key}`);
  if (!EVERY_KIND.some((row) => row.group === group)) throw new FlagError(`unknown api groups ${key.split('/', 1)[0]}`);
}

function checkCanBeServed(key: string, canonical: string): void {
  const [group = '', version = ''] = canonical.split('/');
  if (NEVER_SERVED.includes(`${group}/${version}`)) {
    throw new FlagError(`${key} cannot be served: allocated addresses are stored with their Services, not as objects`);
  }
}

/**
 * Whether a key names an unknown version of its group. An unknown resource of a known version is ignored (upstream
 * behaviour).
 */
function hasUnknownVersion(canonical: string): boolean {
  const [group = '', version] = canonical.split('/');
  if (version === undefined || group === 'api') return false;
  const apiVersion = `${group}/${version}`;
  return !NEVER_SERVED.includes(apiVersion) && !EVERY_KIND.some((row) => apiVersionOf(row) === apiVersion);
}

/** The configuration with these settings; their keys are canonical. Throws FlagError when they would serve nothing. */
export function createRuntimeConfig(settings: ReadonlyMap<string, boolean>): RuntimeConfig {
  if (settings.get('api/all') === false && settings.size === 1) throw new FlagError('invalid key with only api/all=false');
  return {
    settings,
    kinds: EVERY_KIND.filter((row) => isServed(row, settings)),
    unknownVersions: [...settings.keys()].filter(hasUnknownVersion),
  };
}

function isServed(row: KindRow, settings: ReadonlyMap<string, boolean>): boolean {
  const apiVersion = apiVersionOf(row);
  const isServedByDefault = SERVED_KINDS.includes(row);
  // From the most specific key to the least.
  return (
    settings.get(`${apiVersion}/${row.resource}`) ??
    settings.get(apiVersion) ??
    settings.get(stabilityKeyOf(row)) ??
    settings.get('api/all') ??
    isServedByDefault
  );
}

function stabilityKeyOf({ version }: KindRow): (typeof STABILITY_KEYS)[number] {
  if (version.includes('alpha')) return 'api/alpha';
  return version.includes('beta') ? 'api/beta' : 'api/ga';
}
