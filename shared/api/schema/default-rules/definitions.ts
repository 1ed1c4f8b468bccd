/** Defaults of definitions of custom resources. */
import { objectAt, stringAt } from '../../json';
import { isZero, type DefaultRule } from './rule';

export const DEFINITION_RULES: Readonly<Record<string, DefaultRule>> = {
  'apiextensions.v1.CustomResourceDefinitionSpec': (spec) => {
    const names = objectAt(spec, 'names') ?? {};
    const kind = stringAt(names, 'kind') ?? '';
    if (isZero(names['singular']) && kind !== '') names['singular'] = kind.toLowerCase();
    if (isZero(names['listKind']) && kind !== '') names['listKind'] = `${kind}List`;
    if (spec['conversion'] === undefined || spec['conversion'] === null) spec['conversion'] = { strategy: 'None' };
  },
};
