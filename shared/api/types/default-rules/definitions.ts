/** Default rules of CustomResourceDefinitions, by type: the names, the conversion, and the first stored version. */
import { objectAt, stringAt, stringsAt } from '../../../values/json';
import { isZero, objectsAt, type DefaultRule } from './rule';

export const DEFINITION_RULES: Readonly<Record<string, DefaultRule>> = {
  'apiextensions.v1.CustomResourceDefinition': (definition) => {
    const status = objectAt(definition, 'status') ?? {};
    if (stringsAt(status, 'storedVersions').length > 0) return;
    // Finds the only storage version: validation, which follows, rejects a second one.
    const stored = objectsAt(objectAt(definition, 'spec'), 'versions').find(({ storage }) => storage === true);
    if (stored !== undefined) definition['status'] = { ...status, storedVersions: [stringAt(stored, 'name') ?? ''] };
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': (spec) => {
    const names = objectAt(spec, 'names') ?? {};
    const kind = stringAt(names, 'kind') ?? '';
    if (isZero(names['singular']) && kind !== '') names['singular'] = kind.toLowerCase();
    if (isZero(names['listKind']) && kind !== '') names['listKind'] = `${kind}List`;
    if (spec['conversion'] === undefined || spec['conversion'] === null) spec['conversion'] = { strategy: 'None' };
  },
};
