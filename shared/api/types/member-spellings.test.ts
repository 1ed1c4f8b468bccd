import { STORED_KINDS } from '../kinds';
import { canonicalMembers } from './member-spellings';

const DEFINITION = 'apiextensions.v1.CustomResourceDefinition';
/** A definition with the schema. */
const within = (schema: object): Parameters<typeof canonicalMembers>[1] => ({
  spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { ...schema } } }] },
});

test('canonicalMembers renames schema members wherever a schema may occur, but not properties and default values', () => {
  /** A schema with the member at each place where a schema may occur. */
  const schemaWith = (member: string): object => {
    const leaf = { [member]: true };
    return {
      ...leaf,
      properties: { 'x-platform-int-or-string': leaf },
      items: [leaf],
      additionalProperties: leaf,
      not: leaf,
      anyOf: [leaf],
      default: { 'x-platform-int-or-string': 1 },
    };
  };
  const renamed = canonicalMembers(DEFINITION, within(schemaWith('x-platform-int-or-string')));
  expect(renamed).toEqual(within(schemaWith('x-kubernetes-int-or-string')));
});

test('canonicalMembers renames a member that a patch sets to null', () => {
  expect(canonicalMembers(DEFINITION, within({ 'x-platform-validations': null }))).toEqual(within({ 'x-kubernetes-validations': null }));
});

test('canonicalMembers rejects both spellings of a member with different values', () => {
  const both = { 'x-platform-validations': [], 'x-kubernetes-validations': null };
  expect(() => canonicalMembers(DEFINITION, within(both))).toThrow('two spellings of the same field and differ');
});

test('canonicalMembers returns the value unchanged for kinds without schemas and when no member is to be renamed', () => {
  const value = within({ 'x-kubernetes-validations': [], properties: { a: { type: 'string' } } });
  for (const { type } of STORED_KINDS) expect(canonicalMembers(type, value)).toEqual(value);
  expect(canonicalMembers('core.v1.Pod', value)).toBe(value);
});
