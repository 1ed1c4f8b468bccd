/**
 * PodSecurityConfiguration: the policy of namespaces without labels, and the exemptions from PodSecurity. Empty levels
 * and versions in the file count as absent (upstream behaviour).
 */
import type { InvalidField } from '../../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../../shared/configuration/read-configuration';
import { listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../../shared/configuration/schema';
import { bothSpellings } from '../../../../shared/names/spellings';
import { parseLevelVersion, PRIVILEGED_POLICY, MODES, type LevelVersion, type SecurityMode, type SecurityPolicy } from './policy';
import { LEVELS } from './standards';

const LEVEL_SCHEMA = enumSchema(...LEVELS, '');
const VERSION_SCHEMA = stringSchema();
const FILE_SCHEMA = objectSchema(
  {},
  {
    defaults: objectSchema(
      {},
      {
        enforce: LEVEL_SCHEMA,
        'enforce-version': VERSION_SCHEMA,
        audit: LEVEL_SCHEMA,
        'audit-version': VERSION_SCHEMA,
        warn: LEVEL_SCHEMA,
        'warn-version': VERSION_SCHEMA,
      },
    ),
    exemptions: objectSchema(
      {},
      { usernames: listSchema(stringSchema()), namespaces: listSchema(stringSchema()), runtimeClasses: listSchema(stringSchema()) },
    ),
  },
);
type SecurityFile = ValueOf<typeof FILE_SCHEMA>;

/** The settings that PodSecurity applies: those of the configuration file, with defaults and parsed versions. */
export interface PodSecuritySettings {
  readonly defaults: SecurityPolicy;
  readonly exemptions: Readonly<Record<'usernames' | 'namespaces' | 'runtimeClasses', ReadonlySet<string>>>;
}

/** The format of the configuration file. */
export const POD_SECURITY_FORMAT: ConfigurationFormat<SecurityFile> = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.platform.io/${version}`),
  schema: FILE_SCHEMA,
  validate: (file) =>
    MODES.flatMap((mode): readonly InvalidField[] =>
      parseMode(file, mode) === undefined ? [{ path: `defaults.${mode}-version`, reason: 'must be "latest" or "v1.x"' }] : [],
    ),
};

/** The settings of a validated file. Names of users and namespaces apply in both spellings. */
export function podSecuritySettings(file: SecurityFile): PodSecuritySettings {
  const { usernames = [], namespaces = [], runtimeClasses = [] } = file.exemptions ?? {};
  // The fallback is for the compiler: `validate` has rejected files with invalid versions.
  const levelOf = (mode: SecurityMode): LevelVersion => parseMode(file, mode) ?? PRIVILEGED_POLICY[mode];
  return {
    defaults: { enforce: levelOf('enforce'), audit: levelOf('audit'), warn: levelOf('warn') },
    exemptions: {
      usernames: new Set(bothSpellings(usernames)),
      namespaces: new Set(bothSpellings(namespaces)),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}

/** The level and version of a mode, by default `privileged` and `latest`; `undefined` when the version is invalid. */
function parseMode({ defaults = {} }: SecurityFile, mode: SecurityMode): LevelVersion | undefined {
  const { level: defaultLevel, version: defaultVersion } = PRIVILEGED_POLICY[mode];
  const level = nonEmptyOrUndefined(defaults[mode]) ?? defaultLevel;
  const version = nonEmptyOrUndefined(defaults[`${mode}-version`]) ?? defaultVersion;
  return parseLevelVersion(level, version);
}

const nonEmptyOrUndefined = <T extends string>(text: T | '' | undefined): Exclude<T, ''> | undefined =>
  isNonEmpty(text) ? text : undefined;

const isNonEmpty = <T extends string>(text: T | undefined): text is Exclude<T, ''> => text !== undefined && text !== '';
