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

const LEVEL = enumSchema(...LEVELS, '');
const VERSION = stringSchema();
const SCHEMA = objectSchema(
  {},
  {
    defaults: objectSchema(
      {},
      {
        enforce: LEVEL,
        'enforce-version': VERSION,
        audit: LEVEL,
        'audit-version': VERSION,
        warn: LEVEL,
        'warn-version': VERSION,
      },
    ),
    exemptions: objectSchema(
      {},
      { usernames: listSchema(stringSchema()), namespaces: listSchema(stringSchema()), runtimeClasses: listSchema(stringSchema()) },
    ),
  },
);
type SecurityFile = ValueOf<typeof SCHEMA>;

/** The settings that PodSecurity applies: those of the configuration file, with defaults and parsed versions. */
export interface PodSecuritySettings {
  readonly defaults: SecurityPolicy;
  readonly exemptions: Readonly<Record<'usernames' | 'namespaces' | 'runtimeClasses', ReadonlySet<string>>>;
}

/** The format of the configuration file. */
export const POD_SECURITY_FORMAT: ConfigurationFormat<SecurityFile> = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.platform.io/${version}`),
  schema: SCHEMA,
  validate: (file) =>
    MODES.flatMap((mode): readonly InvalidField[] =>
      parseMode(file, mode) === undefined ? [{ path: `defaults.${mode}-version`, reason: 'must be "latest" or "v1.x"' }] : [],
    ),
};

/** The settings of a validated file. Names of users and namespaces apply in both spellings. */
export function podSecuritySettings(file: SecurityFile): PodSecuritySettings {
  const { usernames = [], namespaces = [], runtimeClasses = [] } = file.exemptions ?? {};
  // The fallback is for the compiler: `validate` has refused files with invalid versions.
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
  const { level, version } = PRIVILEGED_POLICY[mode];
  return parseLevelVersion(nonEmptyOrUndefined(defaults[mode]) ?? level, nonEmptyOrUndefined(defaults[`${mode}-version`]) ?? version);
}

const nonEmptyOrUndefined = <T extends string>(text: T | '' | undefined): Exclude<T, ''> | undefined =>
  isNonEmpty(text) ? text : undefined;

const isNonEmpty = <T extends string>(text: T | undefined): text is Exclude<T, ''> => text !== undefined && text !== '';
