/** The value of a CEL expression must not depend on the spelling of names in the expression or in the object. */
import fc from 'fast-check';
import { CostBudget, compileExpression, type Type } from '../../shared/expression/engine';
import { untypedValue } from '../../shared/expression/untyped-json';
import type { JsonObject } from '../../shared/values/json';
import { arbitraryDialect, arbitraryParts, spellNames, type SpelledNames } from '../../test/support/objects/spelled-names';

const OBJECT_TYPE: Type = { kind: 'dyn' };
/** More than any expression of these tests costs. */
const COST_LIMIT = 1_000_000;

/** The value of an expression about `object`. */
function evaluate(expression: string, object: JsonObject): unknown {
  const compiled = compileExpression(expression, new Map([['object', OBJECT_TYPE]]));
  if ('error' in compiled) throw new Error(compiled.error);
  return compiled.evaluate(new Map([['object', untypedValue(object)]]), COST_LIMIT, new CostBudget(COST_LIMIT));
}

test.each([
  ['equality', (name: string) => `object.name == '${name}'`],
  ['a member of a list', (name: string) => `'${name}' in object.list`],
  ['a constant list', (name: string) => `object.name in ['x', '${name}']`],
  ['a key of a map', (name: string) => `'${name}' in object.map && object.map['${name}'] == 'v' && object.map[?'${name}'].hasValue()`],
  ['a key of a constant map', (name: string) => `{'${name}': 1}[object.name] == 1`],
  ['a macro over keys', (name: string) => `object.map.exists(key, key == '${name}')`],
  ['startsWith', (name: string) => `object.name.startsWith('${name.slice(0, -1)}')`],
  ['endsWith', (name: string) => `object.name.endsWith('${name.slice(1)}')`],
  ['contains', (name: string) => `object.name.contains('${name.slice(1, -1)}')`],
  ['matches', (name: string) => `object.name.matches('^${name}$')`],
  ['functions of lists', (name: string) => `sets.contains(object.list, ['${name}']) && object.list.indexOf('${name}') == 0`],
])('a CEL expression matches a name in either spelling: %s', (_title, expressionWith) => {
  fc.assert(
    fc.property(
      arbitraryParts,
      arbitraryDialect,
      arbitraryDialect,
      fc.constantFrom<keyof SpelledNames>('group', 'namespace', 'user', 'qualified'),
      (parts, expressionDialect, objectDialect, kindOfName) => {
        const name = spellNames(objectDialect, parts)[kindOfName];
        const text = expressionWith(spellNames(expressionDialect, parts)[kindOfName]);
        expect(evaluate(text, { name, list: [name], map: { [name]: 'v' } })).toBe(true);
        expect(evaluate(text, { name: 'zz', list: ['zz'], map: { zz: 'v' } })).not.toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["object.type != 'kubernetes.io/service-account-token'", { type: 'platform.io/service-account-token' }],
  ["object.type != 'platform.io/service-account-token'", { type: 'kubernetes.io/service-account-token' }],
  ["!object.namespace.startsWith('kube-')", { namespace: 'platform-system' }],
  ["object.request.namespace != 'kube-system'", { request: { namespace: 'platform-system' } }],
  ["object.group != 'rbac.authorization.k8s.io'", { group: 'rbac.authorization.platform.io' }],
  ["!object.type.split('/')[0].endsWith('kubernetes.io')", { type: 'platform.io/tls' }],
  ["object.type.find('^kubernetes[.]io/') == ''", { type: 'platform.io/tls' }],
  ["object.type.find('^platform[.]io/') == ''", { type: 'kubernetes.io/tls' }],
  ["object.type.findAll('^kubernetes[.]io/') == []", { type: 'platform.io/tls' }],
  ["object.type.findAll('kubernetes', 1).size() == 0", { type: 'platform.io/tls' }],
])('a CEL expression does not miss a name because of its spelling: %s is false for %j', (expression, object) =>
  expect(evaluate(expression, object)).toBe(false),
);
