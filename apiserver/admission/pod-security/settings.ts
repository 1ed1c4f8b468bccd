/** The file PodSecurityConfiguration: what holds for namespaces that say nothing, and who is let be. Its form and its rules; judges no pod. */
import type { ConfigurationFault } from '../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../shared/configuration/schema';
import { bothSpellings } from '../../../shared/names/spellings';
import { levelVersion, LOOSE, MODES, type LevelVersion, type SecurityMode, type SecurityPolicy } from './policy';
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

export interface SecuritySettings {
  readonly defaults: SecurityPolicy;
  readonly exemptions: Readonly<Record<'usernames' | 'namespaces' | 'runtimeClasses', ReadonlySet<string>>>;
}

export const POD_SECURITY_FORMAT: ConfigurationFormat<SecurityFile> = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.platform.io/${version}`),
  schema: SCHEMA,
  validate: (file) =>
    MODES.flatMap((mode): readonly ConfigurationFault[] =>
      modeIn(file, mode) === undefined ? [{ path: `defaults.${mode}-version`, reason: 'must be "latest" or "v1.x"' }] : [],
    ),
};

export function securitySettings(file: SecurityFile): SecuritySettings {
  const { usernames = [], namespaces = [], runtimeClasses = [] } = file.exemptions ?? {};
  const of = (mode: SecurityMode): LevelVersion => modeIn(file, mode) ?? LOOSE[mode];
  return {
    defaults: { enforce: of('enforce'), audit: of('audit'), warn: of('warn') },
    exemptions: {
      usernames: new Set(bothSpellings(usernames)),
      namespaces: new Set(bothSpellings(namespaces)),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}

/** Undefined = the version is none. */
function modeIn({ defaults = {} }: SecurityFile, mode: SecurityMode): LevelVersion | undefined {
  const { level, version } = LOOSE[mode];
  return levelVersion(said(defaults[mode]) ?? level, said(defaults[`${mode}-version`]) ?? version);
}

const said = <T extends string>(text: T | '' | undefined): Exclude<T, ''> | undefined => (isSaid(text) ? text : undefined);

const isSaid = <T extends string>(text: T | undefined): text is Exclude<T, ''> => text !== undefined && text !== '';
