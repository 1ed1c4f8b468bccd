/** Arbitrary names for property tests, in the spelling of either dialect. */
import fc from 'fast-check';
import {
  DIALECTS,
  GENERATED_NAMES,
  groupInDialect,
  GROUP_STEMS,
  qualifiedNameInDialect,
  type Dialect,
} from '../../../shared/names/dialect';

/** One name of each kind, as a dialect spells them. */
export interface SpelledNames {
  /** Such as `apps.platform.io`. */
  readonly group: string;
  readonly namespace: string;
  /** The user name of a ServiceAccount of the namespace. */
  readonly user: string;
  /** The group of the ServiceAccounts of the namespace. */
  readonly userGroup: string;
  /** Such as `platform.io/x`. */
  readonly qualified: string;
  /** The path of the group. */
  readonly path: string;
}

/** What names are made of, whatever their spelling. */
export interface NameParts {
  readonly stem: string;
  readonly namespace: 'systemNamespace' | 'publicNamespace' | 'nodeLeaseNamespace';
  readonly name: string;
}

export const arbitraryParts: fc.Arbitrary<NameParts> = fc.record({
  stem: fc.constantFrom(...GROUP_STEMS),
  namespace: fc.constantFrom('systemNamespace', 'publicNamespace', 'nodeLeaseNamespace'),
  name: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
});

export const arbitraryDialect: fc.Arbitrary<Dialect> = fc.constantFrom(...DIALECTS);

/** Names of the same parts are different spellings of the same names. */
export function spellNames(dialect: Dialect, parts: NameParts): SpelledNames {
  const namespace = GENERATED_NAMES[dialect][parts.namespace];
  const group = groupInDialect(dialect, `${parts.stem}.platform.io`);
  return {
    group,
    namespace,
    user: `system:serviceaccount:${namespace}:${parts.name}`,
    userGroup: `system:serviceaccounts:${namespace}`,
    qualified: qualifiedNameInDialect(dialect, `platform.io/${parts.name}`),
    path: `/apis/${group}/v1`,
  };
}
